// What a file that is written whole leaves behind: at its name, behind links, and in place of what is no file.
#include "base/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  fs::path at(const char* name) const { return folder_.path() / name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }
  TemporaryFolder folder_;
};

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStaysAlone) {
  const fs::path path = folder_.write("a", "old");
  {
    AtomicFile file(path);
    file.write("new");
    file.flush();
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFileTest, ALinkStaysAndWhatItLeadsToIsReplaced) {
  const fs::path target = folder_.write("target", "old");
  fs::create_symlink("target", at("link"));
  fs::create_symlink(at("link"), at("link-to-link"));
  write_file_atomically(at("link-to-link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_TRUE(fs::is_symlink(at("link-to-link")));
  EXPECT_EQ(read_file(target), "new");
}

TEST_F(AtomicFileTest, ALinkToNothingMakesWhatItNames) {
  fs::create_symlink("target", at("link"));
  write_file_atomically(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read_file(at("target")), "new");
}

TEST_F(AtomicFileTest, TheModeOfTheFileReplacedIsKept) {
  for (const unsigned mode : {0600U, 0664U}) {
    const fs::path path = folder_.write("a", "old");
    fs::permissions(path, fs::perms{mode});
    write_file_atomically(path, "new");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms{mode});
  }
}

TEST_F(AtomicFileTest, APipeIsWrittenIntoAndStays) {
  const fs::path pipe = at("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", at("link"));
  const int reader = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  write_file_atomically(at("link"), "through");
  char text[16] = {};
  ASSERT_EQ(::fcntl(reader, F_SETFL, O_NONBLOCK), 0);
  EXPECT_EQ(::read(reader, text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(entries(), 2U);
}

TEST_F(AtomicFileTest, ADescriptorsNameIsWrittenInPlace) {
  const fs::path path = folder_.write("a", "a longer old text");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  write_file_atomically("/dev/fd/" + std::to_string(descriptor), "new");
  char text[32] = {};
  EXPECT_EQ(::read(descriptor, text, sizeof text), 3) << "the file that is open was replaced, not written";
  ::close(descriptor);
}

}  // namespace
}  // namespace transformeter
