// Reading .model files and character maps that are broken: every fault is named, and the library never gets them.
#include "tokenizers/sentencepiece_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "base/base64.h"
#include "base/error.h"
#include "support/temporary_folder.h"
#include "tokenizers/charsmap.h"
#include "tokenizers/grapheme.h"
#include "tokenizers/small_tokenizers.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string little_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}
std::string piece(const std::string& text, float score = 0, int type = 1) {
  return field(1, field(1, text) + varint(2 << 3 | 5) + little_endian(std::bit_cast<std::uint32_t>(score)) +
                      varint(3 << 3) + varint(static_cast<std::uint64_t>(type)));
}
const std::string kUnknown = piece("<unk>", 0, 2);

std::string error_of(const std::string& bytes) {
  try {
    read_sentencepiece_file(bytes, "x.model");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("x.model: "));
    return error.what();
  }
  return "no error";
}

TEST(SentencePieceFile, ReadsPiecesAndIds) {
  const std::string trainer = varint(3 << 3) + varint(2) + varint(41 << 3) + varint(7);
  const SentencePieceFile file = read_sentencepiece_file(kUnknown + piece("ab", -1.5F) + field(2, trainer), "x");
  ASSERT_EQ(file.pieces.size(), 2u);
  EXPECT_EQ(file.pieces[1].text, "ab");
  EXPECT_EQ(file.pieces[1].score, -1.5F);
  EXPECT_EQ(file.model_type, SentencePieceFile::ModelType::kBpe);
  EXPECT_EQ(file.bos_id, 7);
  EXPECT_EQ(file.eos_id, 2) << "the format's default";
}

TEST(SentencePieceFile, NamesWhatIsWrong) {
  EXPECT_THAT(error_of(""), HasSubstr("no pieces"));
  EXPECT_THAT(error_of("{\"model\": 1}"), HasSubstr("not a protocol buffer"));
  EXPECT_THAT(error_of(kUnknown.substr(0, kUnknown.size() - 1)), HasSubstr("not a protocol buffer"));
  EXPECT_THAT(error_of(piece("a")), HasSubstr("0 unknown pieces"));
  EXPECT_THAT(error_of(kUnknown + piece("a") + piece("a")), HasSubstr("'a' occurs twice"));
  EXPECT_THAT(error_of(kUnknown + piece("")), HasSubstr("piece 1 is empty"));
  EXPECT_THAT(error_of(kUnknown + piece("\xFF")), HasSubstr("piece 1 is not valid UTF-8"));
  EXPECT_THAT(error_of(kUnknown + piece("a", std::numeric_limits<float>::quiet_NaN())), HasSubstr("not finite"));
  EXPECT_THAT(error_of(kUnknown + piece("<0xZZ>", 0, 6)), HasSubstr("<0xZZ>"));
  EXPECT_THAT(error_of(kUnknown + piece("a", 0, 9)), HasSubstr("type 9"));
  EXPECT_THAT(error_of(kUnknown + field(3, field(2, "abc"))), HasSubstr("character map"));
}

TEST(SentencePieceTokenizer, PutsSpecialTokensAsTheClassDoes) {
  const TemporaryFolder folder;
  const auto path = folder.write("tokenizer.model", read_file(small_tokenizers() / "bpe.model"));
  const auto ids = [&](const std::string& config) {
    folder.write("tokenizer_config.json", config);
    return load_tokenizer(folder.path())->encode("a").ids;
  };
  const std::vector<std::int32_t> plain = ids("{}");
  const auto surrounded = [&](std::vector<std::int32_t> begin, const std::vector<std::int32_t>& end) {
    begin.insert(begin.end(), plain.begin(), plain.end());
    begin.insert(begin.end(), end.begin(), end.end());
    return begin;
  };
  EXPECT_EQ(ids(R"({"tokenizer_class": "LlamaTokenizer"})"), surrounded({1}, {}));
  EXPECT_EQ(ids(R"({"tokenizer_class": "LlamaTokenizer", "add_eos_token": true})"), surrounded({1}, {2}));
  EXPECT_EQ(ids(R"({"tokenizer_class": "LlamaTokenizer", "add_bos_token": false})"), plain);
  EXPECT_EQ(ids(R"({"tokenizer_class": "T5Tokenizer"})"), surrounded({}, {2}));
  EXPECT_THROW(ids(R"({"tokenizer_class": "XLMRobertaTokenizer"})"), Error);
}

TEST(SentencePieceTokenizer, FindsExtraIdsOfT5BehindThePieces) {
  const TemporaryFolder folder;
  folder.write("spiece.model", read_file(small_tokenizers() / "bpe.model"));
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "T5Tokenizer"})");
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_EQ(tokenizer->vocabulary_size(), 1300) << "1200 pieces and 100 sentinels";
  EXPECT_THAT(tokenizer->encode("<extra_id_0><extra_id_99>").ids, ElementsAre(1299, 1200, 2));
  const std::vector<std::int32_t> ids = {1299, 2};
  EXPECT_EQ(tokenizer->decode(ids, false), "<extra_id_0>");
  EXPECT_EQ(tokenizer->decode(ids, true), "");
}

TEST(SentencePieceTokenizer, TakesTheClassOfTheModelsFamily) {
  const TemporaryFolder folder;
  folder.write("spiece.model", read_file(small_tokenizers() / "bpe.model"));
  folder.write("config.json", R"({"model_type": "mt5"})");
  EXPECT_EQ(load_tokenizer(folder.path())->encode("a").ids.back(), 2) << "</s>";
  folder.write("tokenizer_config.json", R"({"extra_ids": 3})");
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_EQ(tokenizer->vocabulary_size(), 1203);
  EXPECT_THAT(tokenizer->encode("<extra_id_0><extra_id_2>").ids, ElementsAre(1202, 1200, 2));
}

TEST(Base64, DecodesWhatRfc4648Says) {
  EXPECT_EQ(decode_base64("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decode_base64("Zm9vYg=="), "foob");
  EXPECT_EQ(decode_base64(""), "");
  for (const char* wrong : {"Zm9", "Zm9v*g==", "====", "Zm9vYh==", "Zg=a"}) EXPECT_FALSE(decode_base64(wrong)) << wrong;
}

// "a" becomes "xy": the root's children stand at 256, the value of "a" at 512.
std::string map_of(std::uint32_t value, std::size_t size = 1024) {
  std::vector<std::uint32_t> units(size);
  units[0] = 256 << 10;
  units[256 ^ 'a'] = 'a' | 1 << 8 | ((256 ^ 'a') ^ 512) << 10;
  units[512] = value | 1U << 31;
  std::string bytes = little_endian(static_cast<std::uint32_t>(4 * units.size()));
  for (const std::uint32_t unit : units) bytes += little_endian(unit);
  return bytes + std::string("xy\0", 3);
}

TEST(Charsmap, FindsTheTextOfAnEntry) {
  const Charsmap map(map_of(0), "m");
  EXPECT_EQ(map.find("ab"), "xy");
  EXPECT_EQ(Charsmap(map_of(1), "m").find("a"), "y");
  EXPECT_FALSE(map.find("b"));
  EXPECT_FALSE(map.find(""));
}

// No entry stands there, but a text may hold the byte, and sentencepiece's own search looks.
TEST(Charsmap, RefusesAByteThatLeadsOutOfIt) {
  EXPECT_NO_THROW(Charsmap(map_of(0, 768), "m"));
  EXPECT_THROW(Charsmap(map_of(0, 767), "m"), Error) << "byte 255 behind the unit of 'a'";
}

TEST(Charsmap, RefusesWhatLeadsOutOfIt) {
  EXPECT_THROW(Charsmap(map_of(4), "m"), Error) << "the texts have three bytes";
  EXPECT_THROW(Charsmap("", "m"), Error);
  EXPECT_THROW(Charsmap(little_endian(8) + little_endian(0), "m"), Error);
  EXPECT_THROW(Charsmap(little_endian(4) + little_endian(0) + "\xFF", "m"), Error);
  EXPECT_THROW(Charsmap(little_endian(4) + little_endian(1 << 8 | 5 << 10), "m"), Error) << "a value beyond the array";
}

TEST(Grapheme, EndsWhereAReaderSeesTheNextCharacter) {
  const auto ends = [](std::string_view text) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < text.size(); found.push_back(i)) i = grapheme_end(text, i);
    return found;
  };
  EXPECT_THAT(ends("ab"), ElementsAre(1, 2));
  EXPECT_THAT(ends("\r\n\n"), ElementsAre(2, 3));
  EXPECT_THAT(ends("e\xCC\x81x"), ElementsAre(3, 4));                         // e and an accent
  EXPECT_THAT(ends("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"), ElementsAre(9));  // a Korean syllable in parts
  EXPECT_THAT(ends("\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA\xF0\x9F\x87\xA9"), ElementsAre(8, 12));  // a flag and half of one
  EXPECT_THAT(ends("\xE2\x9A\x95\xE2\x80\x8D\xE2\x9A\x95"), ElementsAre(9));                  // emoji tied by a joiner
  EXPECT_THAT(ends("\xE0\xA4\x95\xE0\xA5\x8D\xE0\xA4\x95"), ElementsAre(9));  // consonants with a virama
}

}  // namespace
}  // namespace transformeter
