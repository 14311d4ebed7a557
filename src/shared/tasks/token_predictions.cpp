// Lists of numbers, one JSON value a line.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "datasets/data_file.h"
#include "datasets/json_cursor.h"
#include "tasks/predictions.h"

namespace transformeter {
namespace {

// Rounding may lift the log of a probability of 1 this far above 0.
constexpr double kLargestLogProbability = 1e-4;

// The list of a line, which may stand under one of `keys`.
JsonCursor list_of(const JsonCursor& line, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (line.has(key)) return line.at(key);
  }
  return line;
}

void for_each_line(const std::string& where, std::string_view text,
                   const std::function<void(const JsonCursor& line, std::size_t number)>& visit) {
  std::size_t number = 0;
  for (std::size_t position = 0; position < text.size();) {
    const std::string_view line = next_line(text, position);
    ++number;
    if (trim(line).empty()) continue;
    const std::string place = fmt::format("{}:{}", where, number);
    const Json json = parse_json(place + ": the line", line);
    visit(JsonCursor(place, json), number);
  }
}

}  // namespace

std::vector<std::vector<double>> read_log_probabilities(const std::string& where, std::string_view text) {
  std::vector<std::vector<double>> texts;
  for_each_line(where, text, [&](const JsonCursor& line, std::size_t) {
    const JsonCursor list = list_of(line, {"log_probabilities", "logprobs", "token_logprobs"});
    texts.emplace_back();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& value = list.value()[i];
      if (value.is_null()) continue;
      if (!value.is_number() || !(value.get<double>() <= kLargestLogProbability)) {
        throw list.item(i).error(fmt::format("{} is not a log probability: expected a number of at most 0, or null",
                                             excerpt(canonical_json(value))));
      }
      texts.back().push_back(std::min(value.get<double>(), 0.0));
    }
  });
  return texts;
}

std::vector<TokenIds> read_token_ids(const std::string& where, std::string_view text) {
  std::vector<TokenIds> lines;
  for_each_line(where, text, [&](const JsonCursor& line, std::size_t number) {
    const JsonCursor list = list_of(line, {"labels", "predictions"});
    lines.push_back({number, {}});
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& value = list.value()[i];
      const auto id = whole_number<int>(value);
      if (!id) throw list.item(i).error(fmt::format("{} is not a token id", excerpt(canonical_json(value))));
      lines.back().ids.push_back(*id);
    }
  });
  return lines;
}

}  // namespace transformeter
