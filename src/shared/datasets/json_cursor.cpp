// Steps into lists and objects.
#include "datasets/json_cursor.h"

#include <fmt/format.h>

#include "base/text.h"

namespace transformeter {

JsonCursor JsonCursor::at(const char* key) const {
  expect(value_->is_object(), "an object");
  const auto found = value_->find(key);
  if (found == value_->end()) throw error(fmt::format("the key '{}' is missing", key));
  JsonCursor there = *this;
  there.path_ += path_.empty() ? key : fmt::format(".{}", key);
  there.value_ = &*found;
  return there;
}

std::size_t JsonCursor::size() const {
  expect(value_->is_array(), "a list");
  return value_->size();
}

JsonCursor JsonCursor::item(std::size_t index) const {
  expect(value_->is_array() && index < value_->size(), "a longer list");
  JsonCursor there = *this;
  there.path_ += fmt::format("[{}]", index);
  there.value_ = &(*value_)[index];
  return there;
}

const std::string& JsonCursor::text() const {
  expect(value_->is_string(), "a string");
  return value_->get_ref<const std::string&>();
}

std::size_t JsonCursor::count() const {
  expect(value_->is_number_integer() && (value_->is_number_unsigned() || value_->get<std::int64_t>() >= 0),
         "a whole number of at least 0");
  return value_->get<std::size_t>();
}

bool JsonCursor::flag() const {
  expect(value_->is_boolean(), "true or false");
  return value_->get<bool>();
}

std::string JsonCursor::place() const {
  return path_.empty() ? where_ : fmt::format("{}: {}", where_, path_);
}

Error JsonCursor::error(std::string_view message) const {
  return Error(ErrorKind::kBadInput, fmt::format("{}: {}", place(), message));
}

void JsonCursor::expect(bool holds, std::string_view what) const {
  if (holds) return;
  throw error(fmt::format("expected {}, not {}", what, excerpt(canonical_json(*value_))));
}

}  // namespace transformeter
