// All splits are read and checked; one is kept.
#include "datasets/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "datasets/classification.h"
#include "datasets/json_cursor.h"

namespace transformeter {
namespace {

// Takes `wanted` off the front, with the white space before it.
bool take(std::string_view& text, char wanted) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::string choose_split(const std::string& where, const Json& splits, const std::string& asked) {
  std::vector<std::string> names;
  std::vector<std::string> sizes;
  for (const auto& [name, examples] : splits.items()) {
    names.push_back(name);
    sizes.push_back(fmt::format("{} ({} texts)", name, examples.size()));
  }
  if (asked.empty() && names.size() == 1) return names.front();
  if (asked.empty()) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: the file has several splits; choose one with --split: {}", where,
                                                  excerpt(fmt::format("{}", fmt::join(sizes, ", ")), 300)));
  }
  if (!splits.contains(asked)) throw unknown_value(where + ": split", asked, names);
  if (splits.at(asked).empty()) throw refused_value(where + ": split", asked, "it has no examples");
  return asked;
}

Example read_example(const JsonCursor& pair, LabelEncoder& labels) {
  if (pair.size() != 2) throw pair.error(fmt::format("expected a text and its class, not {} values", pair.size()));
  Example example;
  example.text = pair.item(0).text();
  labels.add(pair.item(1).place(), pair.item(1).text());
  return example;
}

}  // namespace

bool looks_like_splits(std::string_view text) {
  if (!take(text, '{') || !take(text, '"')) return false;
  text.remove_prefix(std::min(text.find('"'), text.size()));
  return take(text, '"') && take(text, ':') && take(text, '[') && (take(text, '[') || take(text, ']'));
}

DataSet read_splits(const std::string& where, std::string_view text, const DataOptions& options) {
  const Json json = parse_json(where, text);
  const JsonCursor file(where, json);
  const std::string chosen = choose_split(where, json, options.split);
  LabelEncoder labels(options.labels.empty() ? std::vector<std::string>{} : load_label_list(options.labels));
  DataSet data;
  std::size_t before = 0;  // labels of the splits in front of the chosen one
  std::size_t read = 0;
  for (const auto& [name, unused] : json.items()) {
    const JsonCursor split = file.at(name.c_str());
    const bool is_chosen = name == chosen;
    if (is_chosen) before = read;
    for (std::size_t i = 0; i < split.size(); ++i, ++read) {
      Example example = read_example(split.item(i), labels);
      if (is_chosen) data.examples.push_back(std::move(example));
    }
  }
  const std::vector<int> numbers = labels.numbers();
  for (std::size_t i = 0; i < data.examples.size(); ++i) data.examples[i].label = numbers[before + i];
  data.label_count = labels.count();
  data.label_names = labels.names();
  return data;
}

}  // namespace transformeter
