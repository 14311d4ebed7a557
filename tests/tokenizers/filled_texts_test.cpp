// Texts that a model wants to be of one length: SigLIP's, against Transformers' SiglipTokenizer.
#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "support/source_tree.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::ElementsAre;

EncodeOptions up_to(std::int64_t max_length) {
  EncodeOptions options;
  options.max_length = max_length;
  return options;
}

EncodeOptions plain() {
  EncodeOptions options;
  options.add_special_tokens = false;
  return options;
}

TokenizerOptions filled() {
  TokenizerOptions options;
  options.filled_length = 14;
  return options;
}

class FilledTexts : public testing::Test {
 protected:
  std::filesystem::path folder_ = source_directory() / "tests/data/models/tiny-siglip";
  std::unique_ptr<Tokenizer> filling_ = load_tokenizer(folder_, filled());
};

TEST_F(FilledTexts, HaveTheIdsOfTransformers) {
  const Json expected = parse_json("vectors", read_file(folder_ / "vectors.json")).at("ids");
  ASSERT_GE(expected.size(), 6U);
  for (const auto& [text, ids] : expected.items()) {
    EXPECT_EQ(filling_->encode(text).ids, ids.get<std::vector<std::int32_t>>()) << text;
  }
}

TEST_F(FilledTexts, EndAtTheLimitThatIsAskedFor) {
  EXPECT_THAT(filling_->encode("a cat", up_to(5)).ids, ElementsAre(10, 5, 1, 1, 1));
  EXPECT_THAT(filling_->encode("a cat", up_to(2)).ids, ElementsAre(10, 1)) << "it is cut";
  EXPECT_EQ(filling_->encode("a cat", up_to(90)).ids.size(), 14U);
  EXPECT_THAT(filling_->encode("a cat", plain()).ids, ElementsAre(10, 5));
}

TEST_F(FilledTexts, AreFilledWithSpecialTokens) {
  const Encoding encoding = filling_->encode("a cat", up_to(5));
  EXPECT_THAT(encoding.special_mask, ElementsAre(0, 0, 1, 1, 1));
  EXPECT_EQ(encoding.type_ids.size(), 5U);
  std::vector<std::int32_t> ids;
  for (const Token& token : filling_->tokenize("a cat", up_to(5))) ids.push_back(token.id);
  EXPECT_EQ(ids, encoding.ids);
}

TEST_F(FilledTexts, StayAsTheyAreForOtherModels) {
  EXPECT_THAT(load_tokenizer(folder_)->encode("a cat").ids, ElementsAre(10, 5, 1));
}

TEST_F(FilledTexts, SayWhetherTheirPaddingIsHidden) {
  EXPECT_FALSE(filling_->traits().masks_padding);
  EXPECT_TRUE(load_tokenizer(folder_.parent_path() / "tiny-clip")->traits().masks_padding);
}

}  // namespace
}  // namespace transformeter
