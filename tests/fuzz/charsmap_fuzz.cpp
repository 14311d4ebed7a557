// Precompiled character maps, and the normalizer that comes out.
#include "base/text.h"
#include "fuzz_support.h"
#include "tokenizers/precompiled_normalizer.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    const PrecompiledNormalizer normalizer(Charsmap(bytes_of(data, size), "fuzz"));
    const std::string_view text =
        "a\tb\r\n e\xCC\x81 \xEF\xBD\xB6\xEF\xBE\x9E \xE2\x84\xA2 \xC2\xBD\xCC\x81 \xF0\x9F\x98\x80z";
    const AlignedText aligned = normalizer.normalize_aligned(make_aligned(text, true));
    require(!first_invalid_utf8(aligned.text), "the text is no UTF-8");
    require(aligned.text == normalizer.normalize(text), "the quick way gives another text");
    require(aligned.text.size() == aligned.origin.size(), "bytes lack places");
  });
  return 0;
}
