// Merging by hand-made ranks, short words against long ones, and the loader of vocab.json with merges.txt.
#include "tokenizers/bpe.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/random.h"
#include "support/temporary_folder.h"
#include "tokenizers/byte_level.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int32_t> merged(const MergeTable& table, const std::vector<std::int32_t>& ids) {
  std::vector<BpeSymbol> symbols;
  for (const std::int32_t id : ids) symbols.push_back({id, 1});
  table.merge_all(symbols);
  std::vector<std::int32_t> result;
  for (const BpeSymbol& symbol : symbols) result.push_back(symbol.id);
  return result;
}

TEST(MergeTable, JoinsTheLowestRankFirstAndTheLeftmostOfEquals) {
  MergeTable table;
  table.insert(1, 2, {1, 12});
  table.insert(2, 3, {0, 23});
  table.insert(1, 23, {2, 123});
  EXPECT_THAT(merged(table, {1, 2, 3}), ElementsAre(123)) << "2 3 first, though 1 2 stands before it";
  EXPECT_THAT(merged(table, {1, 2, 1}), ElementsAre(12, 1));
  table.insert(4, 4, {3, 44});
  EXPECT_THAT(merged(table, {4, 4, 4}), ElementsAre(44, 4));
  EXPECT_FALSE(table.insert(4, 4, {9, 45})) << "the pair is there";
}

// A straight reading of the definition.
std::vector<std::int32_t> merged_by_definition(const MergeTable& table, std::vector<std::int32_t> ids) {
  for (;;) {
    MergeTable::Merge best;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const MergeTable::Merge merge = table.find(ids[i], ids[i + 1]);
      if (merge.rank < best.rank) {
        best = merge;
        place = i;
      }
    }
    if (best.rank == MergeTable::kNone) return ids;
    ids[place] = best.id;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

TEST(MergeTable, JoinsShortAndLongWordsByTheDefinition) {
  RandomStream random(7);
  MergeTable table;
  std::uint32_t rank = 0;
  for (int i = 0; i < 300; ++i) {
    const auto left = static_cast<std::int32_t>(random.below(60));
    const auto right = static_cast<std::int32_t>(random.below(60));
    if (table.insert(left, right, {rank, static_cast<std::int32_t>(random.below(60))})) ++rank;
  }
  for (int i = 0; i < 300; ++i) {
    std::vector<std::int32_t> ids(1 + random.below(120));
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.below(60));
    ASSERT_EQ(merged(table, ids), merged_by_definition(table, ids)) << ids.size() << " symbols";
  }
}

class VocabMerges : public testing::Test {
 protected:
  VocabMerges() {
    Json vocab = Json::object();
    for (int byte = 0; byte < 256; ++byte) {
      const char one = static_cast<char>(byte);
      vocab[to_byte_level({&one, 1})] = byte;
    }
    vocab["\u0120a"] = 256;
    vocab["bc"] = 257;
    vocab["<|endoftext|>"] = 258;
    folder_.write("vocab.json", vocab.dump());
    folder_.write("merges.txt", "#version: 0.2\r\n\u0120 a\r\nb c\r\n");
  }

  std::string failure() const {
    try {
      load_tokenizer(folder_.path());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    ADD_FAILURE() << "accepted";
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(VocabMerges, ReadsBothFilesAndFindsTheSpecialToken) {
  const auto tokenizer = load_tokenizer(folder_.path());
  EXPECT_EQ(tokenizer->vocabulary_size(), 259);
  EXPECT_THAT(tokenizer->encode(" abc<|endoftext|>").ids, ElementsAre(256, 257, 258));
  EXPECT_THAT(tokenizer->encode("\xC3\xA9").ids, ElementsAre(0xC3, 0xA9)) << "bytes of a character without a token";
  EXPECT_EQ(tokenizer->token(256), "\u0120a");
}

TEST_F(VocabMerges, NamesTheLineOfABrokenMerge) {
  folder_.write("merges.txt", "#version: 0.2\n\u0120 a\nb zz\n");
  EXPECT_THAT(failure(), AllOf(HasSubstr("merges.txt:3"), HasSubstr("'zz' is not in the vocabulary")));
  folder_.write("merges.txt", "a b c\n");
  EXPECT_THAT(failure(), AllOf(HasSubstr("merges.txt:1"), HasSubstr("'a b c'")));
  folder_.write("merges.txt", "b c\nb c\n");
  EXPECT_THAT(failure(), AllOf(HasSubstr("merges.txt:2"), HasSubstr("merged twice")));
}

TEST_F(VocabMerges, RefusesAFileWithoutMerges) {
  for (const char* content : {"", "#version: 0.2\n"}) {
    folder_.write("merges.txt", content);
    EXPECT_THAT(failure(), HasSubstr("merges.txt: the file contains no merges"));
  }
}

TEST_F(VocabMerges, RefusesMergesThatAreCutOff) {
  Json vocab = Json::parse(read_file(folder_.path() / "vocab.json"));
  std::string merges;
  for (char c = 'a'; c < 'a' + 18; ++c) {
    vocab[std::string{'z', c}] = 259 + (c - 'a');
    merges += fmt::format("z {}\n", c);
  }
  folder_.write("vocab.json", vocab.dump());
  folder_.write("merges.txt", "\u0120 a\nb c\n" + merges);
  EXPECT_EQ(load_tokenizer(folder_.path())->encode("zb").ids.size(), 1u);
  folder_.write("merges.txt", "\u0120 a\nb c\nz a\nz b\n");
  EXPECT_EQ(load_tokenizer(folder_.path())->encode("zb").ids.size(), 1u) << "sixteen words may be there to fill up";
  folder_.write("merges.txt", "\u0120 a\nb c\nz a\n");
  EXPECT_THAT(failure(), AllOf(HasSubstr("merges.txt: no merge produces 17 words"), HasSubstr("truncated")));
}

TEST_F(VocabMerges, ShowsTheBeginningOfALongLine) {
  folder_.write("merges.txt", std::string(1'000'000, 'x'));
  EXPECT_LT(failure().size(), 500u);
}

TEST_F(VocabMerges, RefusesFilesThatDoNotFit) {
  folder_.write("vocab.json", R"({"a": 0, "b": 0})");
  EXPECT_THAT(failure(), AllOf(HasSubstr("vocab.json"), HasSubstr("'b' has the same id 0 as 'a'")));
  folder_.write("vocab.json", R"({"a": 0}, "b": {)");
  EXPECT_THAT(failure(), HasSubstr("vocab.json"));
  folder_.write("vocab.json", R"({"<s>": 0, "<|endoftext|>": 1})");
  EXPECT_THAT(failure(), AllOf(HasSubstr("tokenizer_class"), HasSubstr("RobertaTokenizer")));
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer"})");
  EXPECT_THAT(failure(), AllOf(HasSubstr("'LlamaTokenizer'"), HasSubstr("Qwen2Tokenizer")));
}

TEST_F(VocabMerges, PutsOptsTokenInFront) {
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true,
                                             "bos_token": "<|endoftext|>", "truncation_side": "left"})");
  const auto tokenizer = load_tokenizer(folder_.path());
  EXPECT_THAT(tokenizer->encode("a").ids, ElementsAre(258, 'a'));
  EXPECT_THAT(tokenizer->encode_pair("a", "b").ids, ElementsAre(258, 'a', 258, 'b'));
  EncodeOptions options;
  options.max_length = 2;
  EXPECT_THAT(tokenizer->encode("ab", options).ids, ElementsAre(258, 'b')) << "the file says left";
}

TEST_F(VocabMerges, TakesAMegabyteWithoutABlank) {
  const auto tokenizer = load_tokenizer(folder_.path());
  std::string word;
  while (word.size() < 1'000'000) word += "bc";
  EXPECT_EQ(tokenizer->encode(word).ids.size(), 500'000u);
}

}  // namespace
}  // namespace transformeter
