// A value in a JSON file together with its path, so that errors say "FILE: data[3].paragraphs[0].context".
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace transformeter {

/// Borrows the JSON value.
class JsonCursor {
 public:
  JsonCursor(const std::string& where, const Json& value) : where_(where), value_(&value) {}

  const Json& value() const { return *value_; }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }

  // Each throws Error(kBadInput) with the place for a value of another type, and at() for a missing key.
  JsonCursor at(const char* key) const;
  std::size_t size() const;  // of a list
  JsonCursor item(std::size_t index) const;
  const std::string& text() const;
  std::size_t count() const;  // a whole number, not negative
  bool flag() const;

  /// "FILE: data[3].paragraphs[0]".
  std::string place() const;
  /// An error about this value.
  Error error(std::string_view message) const;

 private:
  void expect(bool holds, std::string_view what) const;

  std::string where_;
  std::string path_;
  const Json* value_;
};

}  // namespace transformeter
