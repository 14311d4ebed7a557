// Names as Transformers looks for them.
#include "hub/selection.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "tokenizers/tokenizer_files.h"

namespace transformeter {
namespace {

constexpr std::array kDescriptions{
    "config.json",           "generation_config.json", "preprocessor_config.json",
    "processor_config.json", "modules.json",           "config_sentence_transformers.json"};
constexpr std::array kPickleEndings{".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib"};

template <typename Names>
bool is_one_of(const Names& names, std::string_view path) {
  return std::find(names.begin(), names.end(), path) != names.end();
}

// How sentence-transformers prepares texts and pools vectors: sentence_bert_config.json and its older names, and
// folders such as 1_Pooling and 2_Dense.
bool is_of_sentences(std::string_view path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return path.starts_with("sentence_") && path.ends_with("_config.json");
  const std::string_view folder = path.substr(0, slash);
  const std::string_view file = path.substr(slash + 1);
  if (folder.ends_with("_Pooling")) return file == "config.json";
  return folder.ends_with("_Dense") && (file == "config.json" || file == "model.safetensors");
}

const RepositoryFile* find_file(const std::vector<RepositoryFile>& files, std::string_view path) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const RepositoryFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace

bool matches_any(const std::vector<std::string>& patterns, const std::string& path) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    const std::string whole = pattern.ends_with('/') ? pattern + "*" : pattern;
    return ::fnmatch(whole.c_str(), path.c_str(), 0) == 0;
  });
}

bool is_pickle(std::string_view path) {
  return std::any_of(kPickleEndings.begin(), kPickleEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

std::string_view pickle_reason() {
  return "loading a pickle can run arbitrary code, so only safetensors weights are accepted";
}

bool is_model_description(std::string_view path) {
  return is_one_of(kDescriptions, path) || is_tokenizer_file(path) || is_of_sentences(path);
}

bool is_vocabulary(std::string_view path) {
  return is_vocabulary_file(path);
}

std::vector<RepositoryFile> weight_files(const std::vector<RepositoryFile>& files,
                                         const std::vector<std::string>& shards) {
  if (const RepositoryFile* single = find_file(files, "model.safetensors")) return {*single};
  std::vector<RepositoryFile> weights;
  for (const std::string& shard : shards) {
    const RepositoryFile* file = find_file(files, shard);
    if (file == nullptr || !shard.ends_with(".safetensors")) {
      throw Error(ErrorKind::kBadInput, fmt::format("{} lists '{}', which is not a safetensors file of the repository",
                                                    kShardIndex, excerpt(shard)));
    }
    weights.push_back(*file);
  }
  if (!shards.empty()) return weights;
  std::copy_if(files.begin(), files.end(), std::back_inserter(weights), [](const RepositoryFile& file) {
    return file.path.ends_with(".safetensors") && file.path.find('/') == std::string::npos;
  });
  return weights;
}

}  // namespace transformeter
