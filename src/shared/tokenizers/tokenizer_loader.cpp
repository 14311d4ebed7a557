// Which file of a folder counts.
#include "tokenizers/tokenizer_loader.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "tokenizers/sentencepiece_tokenizer.h"
#include "tokenizers/tokenizer_config.h"
#include "tokenizers/tokenizer_files.h"
#include "tokenizers/tokenizer_json.h"
#include "tokenizers/vocab_merges.h"
#include "tokenizers/vocab_txt.h"

namespace transformeter {
namespace {

std::filesystem::path choose_file(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return path;
  for (const char* name : kReadVocabularies) {
    if (std::filesystem::exists(path / name)) return path / name;
  }
  throw refused_value(
      "tokenizer folder", path.string(),
      "it must contain tokenizer.json, vocab.json with merges.txt, vocab.txt, tokenizer.model or spiece.model",
      "Model folders saved by Hugging Face have one of them.");
}

void check_padding(const TokenizerTraits& traits, const std::filesystem::path& path) {
  if (traits.special.pad) return;
  throw refused_value("tokenizer", path.string(),
                      "it has no padding token, but this model's texts are filled with padding",
                      "Name it as \"pad_token\" in tokenizer_config.json.");
}

// What a sentencepiece model by itself does not do.
void check_plain(const std::filesystem::path& path, const TokenizerOptions& options) {
  const auto refuse = [&](const char* what) {
    throw Error(ErrorKind::kUnsupported, fmt::format("{}: a sentencepiece model does not {}", path.string(), what));
  };
  if (options.lowercases_first) refuse("lower-case texts; do_lower_case needs tokenizer.json");
  if (options.filled_length) refuse("fill texts with padding; use the model's tokenizer.json instead");
}

std::unique_ptr<Tokenizer> assemble(TokenizerParts parts, const TokenizerOptions& options) {
  const bool is_lowercased = parts.normalizer != nullptr && parts.normalizer->normalize("A") == "a";
  if (options.lowercases_first && !is_lowercased) {
    parts.normalizer = lowercasing_before(std::move(parts.normalizer));
    parts.fused.reset();
  }
  return std::make_unique<PipelineTokenizer>(std::move(parts));
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder_or_file,
                                          const TokenizerOptions& options) {
  const std::filesystem::path path = choose_file(folder_or_file);
  if (!std::filesystem::exists(path)) {
    throw refused_value("tokenizer", path.string(), "no such file or folder");
  }
  const TokenizerConfig config = read_tokenizer_config(path.parent_path());
  const std::string name = path.filename().string();
  const auto finish = [&](TokenizerParts parts) {
    parts.traits.masks_padding = config.masks_padding.value_or(true);
    parts.traits.filled_length = options.filled_length;
    if (options.filled_length) check_padding(parts.traits, path);
    return assemble(std::move(parts), options);
  };
  if (name == "vocab.json" || name == "encoder.json") return finish(parts_from_vocab_merges(path, config));
  if (path.extension() == ".json") return finish(parts_from_json(path, config));
  if (path.extension() == ".txt") return finish(parts_from_vocab_txt(path, config, options));
  if (path.extension() == ".model") {
    check_plain(path, options);
    return std::make_unique<SentencePieceTokenizer>(path, config);
  }
  throw bad_value("tokenizer file", path.string(),
                  "a name that ends in .json (tokenizer.json; vocab.json and encoder.json with merges.txt), .txt "
                  "(vocab.txt) or .model (sentencepiece)");
}

}  // namespace transformeter
