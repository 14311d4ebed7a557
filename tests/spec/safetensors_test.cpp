// Headers: what a good one says, and every way in which a bad one is refused.
#include "spec/safetensors.h"

#include "base/files.h"
#include "base/random.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

TEST(ParseSafetensorsHeader, GivesAbsoluteOffsets) {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("empty":{"dtype":"I64","shape":[0,7],"data_offsets":[24,24]},)"
      R"("a":{"dtype":"BF16","shape":[],"data_offsets":[24,26]}}   )";
  const std::uint64_t data = 8 + header.size();
  const SafetensorsEntries expected = {
      {"b", {"F32", {2, 3}, data, data + 24}},
      {"empty", {"I64", {0, 7}, data + 24, data + 24}},
      {"a", {"BF16", {}, data + 24, data + 26}},
  };
  EXPECT_EQ(parse_safetensors_header(safetensors_file(header, 26), "x"), expected);
}

TEST(ParseSafetensorsHeader, AFileWithoutTensorsIsEmpty) {
  EXPECT_TRUE(parse_safetensors_header(safetensors_file("{}", 0), "x").empty());
  EXPECT_TRUE(parse_safetensors_header(safetensors_file(R"({"__metadata__":{}})", 0), "x").empty());
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

struct BadHeader {
  std::string header;
  std::size_t data_bytes;
  std::vector<std::string> parts;  // of the message
};

TEST(ParseSafetensorsHeader, RefusesNamingFileTensorAndFault) {
  const std::string good = entry("w", "F32", "[2]", "[0,8]");
  const std::vector<BadHeader> cases = {
      {"", 0, {"not valid JSON"}},
      {"{", 0, {"not valid JSON"}},
      {"[]", 0, {"not a JSON object"}},
      {"{\"w\":1e999}", 0, {"not valid JSON"}},
      {"{\"\xFF\":1}", 0, {"not valid JSON"}},
      {std::string("{}\0", 3), 0, {"not valid JSON", "NUL"}},
      {std::string(100'000, '['), 0, {"nested too deeply"}},
      {"{" + good + "," + good + "}", 8, {"names 'w' twice"}},
      {R"({"w":{"dtype":"F32","dtype":"F16","shape":[2],"data_offsets":[0,8]}})", 8, {"names 'dtype' twice"}},
      {R"({"w":7})", 0, {"'w'", "not described by a JSON object"}},
      {R"({"w":{"shape":[2],"data_offsets":[0,8]}})", 8, {"'w'", "no 'dtype'"}},
      {R"({"w":{"dtype":"F32","data_offsets":[0,8]}})", 8, {"'w'", "no 'shape'"}},
      {R"({"w":{"dtype":"F32","shape":[2]}})", 8, {"'w'", "no 'data_offsets'"}},
      {R"({"w":{"dtype":4,"shape":[2],"data_offsets":[0,8]}})", 8, {"'w'", "'dtype' that is not a string"}},
      {"{" + entry("w", "F33", "[2]", "[0,8]") + "}", 8, {"'w'", "unknown dtype 'F33'"}},
      {"{" + entry("w", "F32", "2", "[0,8]") + "}", 8, {"'w'", "'shape' that is not a list"}},
      {"{" + entry("w", "F32", "[-2]", "[0,8]") + "}", 8, {"'w'", "at least 0: -2"}},
      {"{" + entry("w", "F32", "[2.0]", "[0,8]") + "}", 8, {"'w'", "at least 0: 2.0"}},
      {"{" + entry("w", "F32", "[9223372036854775808]", "[0,8]") + "}", 8, {"'w'", "9223372036854775808"}},
      {"{" + entry("w", "F32", "[4294967296,4294967296]", "[0,8]") + "}", 8, {"'w'", "overflows"}},
      {"{" + entry("w", "F32", "[2]", "[0]") + "}", 8, {"'w'", "list of two"}},
      {"{" + entry("w", "F32", "[2]", "[-8,0]") + "}", 8, {"'w'", "not whole numbers"}},
      {"{" + entry("w", "F32", "[2]", "[8,0]") + "}", 8, {"'w'", "starts at byte 8", "its end 0"}},
      {"{" + good + "}", 7, {"'w'", "truncated", "ends at byte 8", "has 7"}},
      {"{" + entry("w", "F32", "[2]", "[0,18446744073709551615]") + "}", 8, {"'w'", "truncated"}},
      {"{" + entry("w", "F32", "[3]", "[0,8]") + "}", 8, {"'w'", "8 bytes", "[3] of F32 needs 12"}},
      {"{" + good + "," + entry("v", "F32", "[2]", "[4,12]") + "}", 12, {"'v'", "overlaps tensor 'w'"}},
      {"{" + good + "," + entry("v", "F32", "[1]", "[12,16]") + "}", 16, {"'v'", "4 unused bytes before it"}},
      {"{" + good + "}", 9, {"ends with 1 unused bytes"}},
      {"{" + entry("a\\u001b[2J", "F32", "[2]", "[0,8]") + "}", 8, {"'a?[2J'", "control characters"}},
      {"{" + entry(std::string(501, 'n'), "F32", "[2]", "[0,8]") + "}", 8, {"more than 500 bytes"}},
  };
  for (const BadHeader& bad : cases) {
    const std::string file = safetensors_file(bad.header, bad.data_bytes);
    const std::string message =
        message_of(ErrorKind::kBadInput, [&] { parse_safetensors_header(file, "m.safetensors"); });
    EXPECT_THAT(message, HasSubstr("m.safetensors")) << bad.header.substr(0, 200);
    for (const std::string& part : bad.parts) EXPECT_THAT(message, HasSubstr(part)) << bad.header.substr(0, 200);
  }
}

TEST(ParseSafetensorsHeader, RefusesAHeaderLengthBeyondFileAndReason) {
  const auto message = [](const std::string& file) {
    return message_of(ErrorKind::kBadInput, [&] { parse_safetensors_header(file, "m"); });
  };
  EXPECT_THAT(message(""), HasSubstr("0 bytes"));
  EXPECT_THAT(message("1234567"), HasSubstr("7 bytes"));
  EXPECT_THAT(message(std::string("\x05\0\0\0\0\0\0\0{}", 10)), HasSubstr("header needs 5 bytes, the file has 10"));
  EXPECT_THAT(message(std::string(8, '\xFF') + "{}"), HasSubstr("exceeds 100 MB"));
}

TEST(ParseSafetensorsHeader, EveryCutOfARealFileIsAnError) {
  const std::string file = read_file(models_folder() / "tiny-bert-encoder" / "model.safetensors");
  ASSERT_NO_THROW(parse_safetensors_header(file, "m"));
  RandomStream random(7);
  for (int i = 0; i < 200; ++i) {
    const std::string cut = file.substr(0, random.below(file.size()));
    EXPECT_THROW(parse_safetensors_header(cut, "m"), Error) << cut.size();
  }
}

TEST(ParseSafetensorsHeader, DamagedBytesGiveAnErrorOrRangesInsideTheFile) {
  const std::string file = read_file(models_folder() / "tiny-bert-encoder" / "model.safetensors");
  const std::size_t header_end = 8 + (static_cast<unsigned char>(file[0]) | static_cast<unsigned char>(file[1]) << 8);
  RandomStream random(8);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = file;
    for (int k = 0; k < 2; ++k) damaged[random.below(header_end)] = static_cast<char>(random.below(256));
    try {
      for (const auto& [name, found] : parse_safetensors_header(damaged, "m")) {
        EXPECT_LE(found.begin, found.end);
        EXPECT_LE(found.end, damaged.size());
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    }
  }
}

TEST(SafetensorsDtypeBytes, KnowsTheFormatsTypes) {
  EXPECT_EQ(safetensors_dtype_bytes("F32"), 4u);
  EXPECT_EQ(safetensors_dtype_bytes("BF16"), 2u);
  EXPECT_EQ(safetensors_dtype_bytes("I64"), 8u);
  EXPECT_EQ(safetensors_dtype_bytes("BOOL"), 1u);
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [] { safetensors_dtype_bytes("F23"); }), HasSubstr("BF16"));
}

}  // namespace
}  // namespace transformeter
