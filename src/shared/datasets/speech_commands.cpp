#include "datasets/speech_commands.h"

#include <fmt/format.h>

#include <set>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "datasets/data_file.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kValidationList = "validation_list.txt";
constexpr const char* kTestList = "testing_list.txt";

// "CLASS/NAME".
std::string listed_name(const Example& example, const fs::path& root) {
  return fs::path(example.text).lexically_relative(root).generic_string();
}

std::set<std::string> listed(const fs::path& root, const char* name, const std::set<std::string>& present) {
  const DataFile file(root / name);
  std::set<std::string> names;
  std::size_t line = 0;
  for (std::size_t position = 0; position < file.text().size();) {
    const std::string one(trim(next_line(file.text(), position)));
    ++line;
    if (one.empty()) continue;
    if (!present.contains(one)) {
      throw refused_value(fmt::format("{}:{}: file", file.where(), line), excerpt(one), "it is not in the folder",
                          "Unpack the data set again");
    }
    names.insert(one);
  }
  return names;
}

}  // namespace

bool has_split_lists(const fs::path& root) {
  std::error_code code;
  return fs::is_regular_file(root / kValidationList, code) && fs::is_regular_file(root / kTestList, code);
}

void keep_split(DataSet& data, const fs::path& root, const std::string& split) {
  if (split != "train" && split != "validation" && split != "test") {
    throw unknown_value("split", split, {"train", "validation", "test"});
  }
  std::set<std::string> present;
  for (const Example& example : data.examples) present.insert(listed_name(example, root));
  const std::set<std::string> validation = listed(root, kValidationList, present);
  const std::set<std::string> test = listed(root, kTestList, present);
  std::erase_if(data.examples, [&](const Example& example) {
    const std::string name = listed_name(example, root);
    const bool is_validation = validation.contains(name), is_test = test.contains(name);
    if (split == "validation") return !is_validation;
    return split == "test" ? !is_test : is_validation || is_test;
  });
  if (data.examples.empty()) throw refused_value("split", split, fmt::format("'{}' has no such files", root.string()));
}

}  // namespace transformeter
