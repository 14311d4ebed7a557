// tokenizer_config.json, as it lies beside a vocabulary.
#include "fuzz_support.h"
#include "tokenizers/tokenizer_config.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file("tokenizer_config.json");
  expect_read_or_error([&] {
    for (const AddedToken& token : read_tokenizer_config(file.write(bytes_of(data, size)).parent_path()).added_tokens) {
      require(!token.content.empty() && token.id >= 0, "an added token is nothing");
    }
  });
  return 0;
}
