// Which file of a folder counts.
#include "tokenizers/tokenizer_loader.h"

#include "base/error.h"
#include "schema/tokenizer_files.h"
#include "tokenizers/sentencepiece_tokenizer.h"
#include "tokenizers/tokenizer_config.h"
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

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder_or_file,
                                          const TokenizerOptions& options) {
  const std::filesystem::path path = choose_file(folder_or_file);
  if (!std::filesystem::exists(path)) {
    throw refused_value("tokenizer", path.string(), "no such file or folder");
  }
  const TokenizerConfig config = read_tokenizer_config(path.parent_path() / "tokenizer_config.json");
  const std::string name = path.filename().string();
  if (name == "vocab.json" || name == "encoder.json") {
    return std::make_unique<PipelineTokenizer>(parts_from_vocab_merges(path, config));
  }
  if (path.extension() == ".json") return std::make_unique<PipelineTokenizer>(parts_from_json(path, config));
  if (path.extension() == ".txt") {
    return std::make_unique<PipelineTokenizer>(parts_from_vocab_txt(path, config, options));
  }
  if (path.extension() == ".model") return std::make_unique<SentencePieceTokenizer>(path, config);
  throw bad_value("tokenizer file", path.string(),
                  "a name that ends in .json (tokenizer.json; vocab.json and encoder.json with merges.txt), .txt "
                  "(vocab.txt) or .model (sentencepiece)");
}

}  // namespace transformeter
