// By names alone, so that nothing is fetched to find out what there is.
#include "datasets/data_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/lower_case.h"
#include "base/text.h"
#include "datasets/media_files.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::array kEndings{".parquet", ".jsonl", ".csv", ".tsv", ".json", ".conll", ".txt"};  // the best first
constexpr std::array kNoData{"dataset_infos.json", "dataset_info.json", "dataset_dict.json",  "state.json",
                             "config.json",        "requirements.txt",  "license.txt",        "readme.txt",
                             "batches.meta.txt",   "testing_list.txt",  "validation_list.txt"};
constexpr std::array<std::pair<const char*, const char*>, 10> kSplitWords = {{{"train", "train"},
                                                                              {"training", "train"},
                                                                              {"validation", "validation"},
                                                                              {"valid", "validation"},
                                                                              {"val", "validation"},
                                                                              {"dev", "validation"},
                                                                              {"test", "test"},
                                                                              {"testing", "test"},
                                                                              {"eval", "test"},
                                                                              {"evaluation", "test"}}};

std::string without_packing(std::string name) {
  if (lower_case(name).ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

// Of kEndings; their number for another one.
std::size_t format_of(const std::string& unpacked_name) {
  const std::string extension = lower_case(fs::path(unpacked_name).extension().string());
  return static_cast<std::size_t>(std::find(kEndings.begin(), kEndings.end(), extension) - kEndings.begin());
}

struct Candidate {
  std::string path;
  std::string folder;
  std::string split;
  std::size_t format = 0;  // place in kEndings
};

std::optional<std::string> split_word(std::string_view word) {
  const auto found =
      std::find_if(kSplitWords.begin(), kSplitWords.end(), [&](const auto& known) { return word == known.first; });
  return found == kSplitWords.end() ? std::nullopt : std::optional<std::string>(found->second);
}

// The first word of a name such as "my-train_v2" that is a split's.
std::optional<std::string> split_in(const std::string& name) {
  std::string word;
  for (const char c : lower_case(name) + ' ') {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += c;
      continue;
    }
    if (auto split = split_word(word)) return split;
    word.clear();
  }
  return std::nullopt;
}

bool is_digits(std::string_view text, std::size_t count) {
  return text.size() == count && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Of "train-00000-of-00002", which may go on with a dash and a hash, "train".
std::optional<std::string> split_of_shard(const std::string& stem) {
  constexpr std::size_t kDigits = 5;
  constexpr std::string_view kOf = "-of-";
  const std::size_t of = stem.find(kOf);
  if (of == std::string::npos || of < kDigits + 2) return std::nullopt;
  const std::string_view text = stem;
  const std::size_t dash = of - kDigits - 1;
  const std::string_view rest = text.substr(of + kOf.size());
  const bool is_shard = text[dash] == '-' && is_digits(text.substr(dash + 1, kDigits), kDigits) &&
                        is_digits(rest.substr(0, kDigits), std::min(kDigits, rest.size())) && rest.size() >= kDigits &&
                        (rest.size() == kDigits || rest[kDigits] == '-');
  return is_shard ? std::optional(stem.substr(0, dash)) : std::nullopt;
}

std::optional<Candidate> candidate(const std::string& path) {
  Candidate file;
  file.path = path;
  std::vector<std::string> parts = split(path, '/');
  std::string name = parts.back();
  parts.pop_back();
  const auto is_hidden = [](const std::string& part) { return part.starts_with('.'); };
  if (is_hidden(name) || std::any_of(parts.begin(), parts.end(), is_hidden)) return std::nullopt;
  if (std::find(kNoData.begin(), kNoData.end(), lower_case(name)) != kNoData.end()) return std::nullopt;
  name = without_packing(std::move(name));
  file.format = format_of(name);
  if (file.format == kEndings.size()) return std::nullopt;
  const std::string stem = fs::path(name).stem().string();
  std::optional<std::string> of_folder;
  std::vector<std::string> folders;
  for (const std::string& part : parts) {
    if (const auto split = split_word(lower_case(part))) {
      of_folder = split;
    } else if (part != "data") {
      folders.push_back(part);
    }
  }
  file.folder = fmt::format("{}", fmt::join(folders, "/"));
  file.split = split_of_shard(stem).value_or("");
  if (file.split.empty()) file.split = of_folder ? *of_folder : split_in(stem).value_or(stem);
  return file;
}

// Where what is there is for other tasks.
std::string_view hint_of_media(const std::vector<std::string>& paths) {
  const auto has = [&](const MediaFiles& kind) {
    return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return is_named_as(path, kind); });
  };
  if (has(kImageFiles)) return ". Images are for tasks that read them, such as image_classification";
  return has(kSoundFiles) ? ". Sounds are for tasks that read them, such as speech_recognition" : "";
}

std::string choose_folder(const std::string& where, const std::set<std::string>& folders) {
  if (folders.contains("")) return "";
  if (folders.size() == 1) return *folders.begin();
  if (folders.contains("default")) return "default";
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: it holds several data sets; choose one, e.g. {}/{}: {}", where, where, *folders.begin(),
                          excerpt(fmt::format("{}", fmt::join(folders, ", ")), 500)));
}

std::string choose_one_split(const std::string& where, const std::set<std::string>& splits, const std::string& asked) {
  if (asked.empty() && splits.size() == 1) return *splits.begin();
  if (asked.empty()) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: it has several splits; choose one with --split: {}", where,
                                                  excerpt(fmt::format("{}", fmt::join(splits, ", ")), 300)));
  }
  if (const auto usual = split_word(asked); !splits.contains(asked) && usual && splits.contains(*usual)) return *usual;
  if (!splits.contains(asked)) throw unknown_value(where + ": split", asked, {splits.begin(), splits.end()});
  return asked;
}

}  // namespace

DataParts choose_data_files(const std::string& where, const std::vector<std::string>& paths, const std::string& split) {
  std::vector<Candidate> files;
  for (const std::string& path : paths) {
    if (auto file = candidate(path)) files.push_back(std::move(*file));
  }
  if (files.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: no data files among its {} files; expected {}, also with .gz{}", where, paths.size(),
                            fmt::join(kEndings, ", "), hint_of_media(paths)));
  }
  const std::size_t best =
      std::min_element(files.begin(), files.end(), [](const Candidate& one, const Candidate& other) {
        return one.format < other.format;
      })->format;
  std::erase_if(files, [&](const Candidate& file) { return file.format != best; });
  std::set<std::string> folders, splits;
  for (const Candidate& file : files) folders.insert(file.folder);
  const std::string folder = choose_folder(where, folders);
  std::erase_if(files, [&](const Candidate& file) { return file.folder != folder; });
  for (const Candidate& file : files) splits.insert(file.split);
  DataParts parts;
  parts.split = choose_one_split(where, splits, split);
  for (const Candidate& file : files) {
    if (file.split == parts.split) parts.files.push_back(file.path);
  }
  std::sort(parts.files.begin(), parts.files.end());
  return parts;
}

bool has_data_ending(std::string_view name) {
  return format_of(without_packing(std::string(name))) < kEndings.size();
}

bool holds_data_files(const fs::path& folder) {
  const std::vector<std::string> paths = files_below(folder);
  return std::any_of(paths.begin(), paths.end(), [](const std::string& path) { return candidate(path).has_value(); });
}

std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> paths;
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    const fs::path& path = entry->path();
    std::error_code none;
    if (path.filename().string().starts_with('.')) {
      if (entry->is_directory(none)) entry.disable_recursion_pending();
    } else if (fs::is_regular_file(path, none)) {
      paths.push_back(path.lexically_relative(folder).generic_string());
    }
  }
  if (code) throw refused_value("data", folder.string(), code.message());
  return paths;
}

}  // namespace transformeter
