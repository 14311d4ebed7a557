// vocab.json and merges.txt, and the tokenizer that comes out. The input is both, with a NUL between.
#include <algorithm>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "fuzz_support.h"
#include "tokenizers/tokenizer_loader.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file("vocab.json");
  const std::string_view input = bytes_of(data, size);
  const std::size_t cut = std::min(input.find('\0'), input.size());
  const std::filesystem::path vocab = file.write(input.substr(0, cut));
  const auto beside = [&](const char* name, std::string_view content) {
    write_file_atomically(vocab.parent_path() / name, content);
  };
  beside("merges.txt", input.substr(std::min(cut + 1, input.size())));
  beside("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  expect_read_or_error([&] {
    const auto tokenizer = load_tokenizer(vocab);
    const std::string_view text = "Hello w\xC3\xB6rld, they're 12\n\n un\xE4\xB8\xAD able!";
    const Encoding encoding = tokenizer->encode(text);
    const auto tokens = tokenizer->tokenize(text);
    require(tokens.size() == encoding.ids.size(), "the two ways of encoding give different numbers of tokens");
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      require(tokens[i].id == encoding.ids[i], "the two ways of encoding give different ids");
      require(tokens[i].bytes.end <= text.size(), "a place lies beyond the text");
    }
  });
  return 0;
}
