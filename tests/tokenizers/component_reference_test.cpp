// Normalizers, pre-tokenizers and decoders alone against Hugging Face `tokenizers`:
// tests/data/tokenizers/components.json, by scripts/references/small_tokenizer_reference.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tokenizers/decoder.h"
#include "tokenizers/normalizer.h"
#include "tokenizers/pre_tokenizer.h"
#include "tokenizers/small_tokenizers.h"

namespace transformeter {
namespace {

class ComponentReference : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    reference_ = new Json(small_reference("components.json"));
    fill_charsmap(*reference_, nmt_nfkc_charsmap());
  }
  static void TearDownTestSuite() { delete reference_; }

  static std::string short_dump(const Json& json) { return json.dump().substr(0, 120); }

  // Without any the tests would say nothing.
  static const Json& cases_of(const char* kind) {
    const Json& cases = reference_->at(kind);
    if (cases.empty()) throw std::runtime_error(std::string("components.json has no ") + kind);
    return cases;
  }

 private:
  static Json* reference_;
};
Json* ComponentReference::reference_ = nullptr;

TEST_F(ComponentReference, NormalizersGiveTheSameTexts) {
  const Json& texts = cases_of("texts");
  for (const Json& item : cases_of("normalizers")) {
    SCOPED_TRACE(short_dump(item.at("config")));
    const auto normalizer = make_normalizer(item.at("config"), "test");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto text = texts[i].get<std::string>();
      EXPECT_EQ(normalizer->normalize(text), item.at("outputs").at(i).get<std::string>()) << texts[i].dump();
      EXPECT_EQ(normalizer->normalize_aligned(make_aligned(text, true)).text,
                item.at("outputs").at(i).get<std::string>());
    }
  }
}

// Places in the given text, counted in characters.
Json pieces_of(const PreTokenizer& pre_tokenizer, const std::string& text) {
  Json pieces = Json::array();
  for (const AlignedText& piece : pre_tokenizer.pre_tokenize(make_aligned(text, true))) {
    const TextSpan bytes = origin_of(piece, {0, piece.text.size()});
    const auto characters = [&](std::size_t end) {
      return std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end),
                           [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    };
    pieces.push_back({piece.text, characters(bytes.begin), characters(bytes.end)});
  }
  return pieces;
}

TEST_F(ComponentReference, PreTokenizersGiveTheSamePieces) {
  const Json& texts = cases_of("texts");
  for (const Json& item : cases_of("pre_tokenizers")) {
    SCOPED_TRACE(short_dump(item.at("config")));
    const auto pre_tokenizer = make_pre_tokenizer(item.at("config"), "test");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto text = texts[i].get<std::string>();
      EXPECT_EQ(pieces_of(*pre_tokenizer, text), item.at("outputs").at(i)) << texts[i].dump();
    }
  }
}

TEST_F(ComponentReference, DecodersGiveTheSameTexts) {
  const Json& lists = cases_of("token_lists");
  for (const Json& item : cases_of("decoders")) {
    SCOPED_TRACE(short_dump(item.at("config")));
    const auto decoder = make_decoder(item.at("config"), "test");
    for (std::size_t i = 0; i < lists.size(); ++i) {
      std::string text;
      for (const std::string& part : decoder->decode_chain(lists[i].get<std::vector<std::string>>())) text += part;
      EXPECT_EQ(text, item.at("outputs").at(i).get<std::string>()) << lists[i].dump();
    }
  }
}

}  // namespace
}  // namespace transformeter
