// What is written reads back, lies where it can be computed with, and is not there when the disk is full.
#include "spec/safetensors_writer.h"

#include <cstring>

#include "base/files.h"
#include "spec/safetensors.h"
#include "spec/spec_testing.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

std::string bytes_of(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(WriteSafetensors, ReadsBackWithEveryTensorAlignedToItsElements) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.safetensors";
  const std::string floats = bytes_of({1, 2.5, -3, 4, 5, 6});
  write_safetensors(path, {{"b.half", "BF16", {3}, "abcdef"},
                           {"a.weight", "F32", {2, 3}, floats},
                           {"step", "I64", {}, "12345678"},
                           {"nothing", "F32", {0, 4}, ""},
                           {"flags", "BOOL", {1}, std::string_view("\1", 1)}});
  const std::string file = read_file(path);
  const SafetensorsEntries entries = parse_safetensors_header(file, "x");
  ASSERT_EQ(entries.size(), 5U);
  const auto content = [&](const char* name) {
    const SafetensorsEntry& entry = entries.at(name);
    return file.substr(entry.begin, entry.end - entry.begin);
  };
  EXPECT_EQ(content("a.weight"), floats);
  EXPECT_EQ(content("b.half"), "abcdef");
  EXPECT_EQ(content("step"), "12345678");
  EXPECT_EQ(content("nothing"), "");
  EXPECT_EQ(content("flags"), "\1");
  EXPECT_EQ(entries.at("a.weight").shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(entries.at("step").shape, std::vector<std::int64_t>());
  for (const auto& [name, entry] : entries) EXPECT_EQ(entry.begin % safetensors_dtype_bytes(entry.dtype), 0U) << name;
}

// Transformers refuses a file whose metadata do not name a format.
TEST(WriteSafetensors, SaysItsFormatAsTransformersAsks) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "m", {{"w", "F32", {1}, "1234"}});
  EXPECT_THAT(read_file(folder.path() / "m"), HasSubstr(R"("__metadata__":{"format":"pt"})"));
}

TEST(WriteSafetensors, HoldsManyPiecesOfALargeTensor) {
  const TemporaryFolder folder;
  std::string bytes(std::size_t{5} << 20, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761U >> 13);
  write_safetensors(folder.path() / "m", {{"w", "U8", {5 << 20}, bytes}});
  const std::string file = read_file(folder.path() / "m");
  EXPECT_EQ(file.substr(parse_safetensors_header(file, "m").at("w").begin), bytes);
}

TEST(WriteSafetensors, MakesBytesWhenTheyAreWritten) {
  const TemporaryFolder folder;
  std::string current;  // of one tensor at a time
  const auto bytes = [&current](const char* text) {
    return [&current, text] { return std::string_view(current = text); };
  };
  write_safetensors(folder.path() / "m",
                    {{"b", "U8", {3}, {}, bytes("bbb")}, {"a", "U8", {2}, {}, bytes("aa")}, {"c", "U8", {1}, "c"}});
  const std::string file = read_file(folder.path() / "m");
  const SafetensorsEntries entries = parse_safetensors_header(file, "m");
  EXPECT_EQ(file.substr(entries.at("a").begin), "aabbbc");
  const std::string wrong = message_of(ErrorKind::kInternal, [&] {
    write_safetensors(folder.path() / "w", {{"w", "U8", {4}, {}, bytes("abc")}});
  });
  EXPECT_THAT(wrong, HasSubstr("3 bytes"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "w"));
}

TEST(WriteSafetensors, RefusesTwoOfOneNameAndBytesOfAnotherShape) {
  const TemporaryFolder folder;
  const auto message = [&](ErrorKind kind, const std::vector<StoredTensor>& tensors) {
    return message_of(kind, [&] { write_safetensors(folder.path() / "m", tensors); });
  };
  EXPECT_THAT(message(ErrorKind::kInternal, {{"w", "U8", {1}, "a"}, {"w", "U8", {1}, "a"}}), HasSubstr("'w'"));
  const std::string wrong = message(ErrorKind::kInternal, {{"w", "F32", {2}, "abcd"}});
  EXPECT_THAT(wrong, HasSubstr("4 bytes"));
  EXPECT_THAT(wrong, HasSubstr("[2] of F32 has 8"));
  EXPECT_THAT(message(ErrorKind::kBadInput, {{"w", "F33", {1}, "abcd"}}), HasSubstr("F33"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(WriteSafetensors, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("m", "old");
  const std::string bytes(std::size_t{3} << 20, 'x');
  const auto write = [&] {
    try {
      write_safetensors(path, {{"w", "U8", {3 << 20}, bytes}});
    } catch (const Error& error) {
      const bool says_why = std::string_view(error.what()).find("File too large") != std::string_view::npos;
      const bool says_where = std::string_view(error.what()).find(path.string()) != std::string_view::npos;
      return error.kind() == ErrorKind::kEnvironment && says_why && says_where ? 0 : 1;
    }
    return 2;
  };
  EXPECT_EQ(with_largest_file(1 << 20, write), 0);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace transformeter
