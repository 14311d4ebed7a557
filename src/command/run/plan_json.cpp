// Plans in JSON. yaml-cpp reads most of it, but no surrogate pairs, and takes comments and commas that JSON does not
// have. The library's events, unlike its values, keep members that are given twice.
#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "run/plan_document.h"

namespace transformeter {
namespace {

// Counts the lines of what is read through it: an event carries no place.
class LineCountingIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that std::iterator_traits wants
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  LineCountingIterator(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  LineCountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  LineCountingIterator operator++(int) {
    LineCountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const LineCountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  int* line_;
};

// From the library's events to our nodes. A container that is open is the last of its parent, so that it stays where it
// is until it is closed.
class JsonPlanReader final : public nlohmann::json_sax<Json> {
 public:
  explicit JsonPlanReader(const int& line) : line_(line) {}

  PlanNode take() { return std::move(root_); }

  bool null() override { return put(PlanNode()); }
  bool boolean(bool value) override { return put_text(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return put_text(fmt::format("{}", value)); }
  bool number_unsigned(number_unsigned_t value) override { return put_text(fmt::format("{}", value)); }
  bool number_float(number_float_t, const string_t& literal) override { return put_text(literal); }
  bool string(string_t& value) override { return put_text(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(PlanNode::Kind::kMap); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(PlanNode::Kind::kList); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (dropped_ == 0) open_.back()->members.push_back({name, line_, {}});
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool put_text(std::string text) {
    PlanNode node;
    node.kind = PlanNode::Kind::kScalar;
    node.text = std::move(text);
    return put(std::move(node));
  }

  bool put(PlanNode node) {
    if (dropped_ == 0) place(std::move(node));
    return true;
  }

  PlanNode& place(PlanNode node) {
    if (open_.empty()) return root_ = std::move(node);
    PlanNode& parent = *open_.back();
    if (parent.kind == PlanNode::Kind::kMap) return parent.members.back().value = std::move(node);
    return parent.elements.emplace_back(std::move(node));
  }

  bool open(PlanNode::Kind kind) {
    const bool is_too_deep = open_.size() >= static_cast<std::size_t>(kMaxPlanDepth);
    if (dropped_ > 0 || is_too_deep) {
      PlanNode node;
      node.kind = PlanNode::Kind::kDropped;
      put(std::move(node));
      ++dropped_;
      return true;
    }
    PlanNode node;
    node.kind = kind;
    open_.push_back(&place(std::move(node)));
    return true;
  }

  bool close() {
    if (dropped_ > 0) {
      --dropped_;
    } else {
      open_.pop_back();
    }
    return true;
  }

  const int& line_;
  PlanNode root_;
  std::vector<PlanNode*> open_;
  std::size_t dropped_ = 0;  // containers that are open and dropped
};

}  // namespace

PlanNode parse_json_plan(const std::filesystem::path& file, std::string_view text) {
  parse_json(fmt::format("plan '{}'", file.string()), text);  // for its checks
  int line = 1;
  JsonPlanReader reader(line);
  const LineCountingIterator begin(text.data(), &line);
  const LineCountingIterator end(text.data() + text.size(), &line);
  if (!Json::sax_parse(begin, end, &reader)) throw plan_error(file, line, "not valid JSON");
  return reader.take();
}

}  // namespace transformeter
