// Folders of classes and CIFAR-10's files, and what is refused.
#include "datasets/class_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "datasets/cifar10.h"
#include "datasets/image_data.h"
#include "datasets/media_data.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ImageFolders : public testing::Test {
 protected:
  std::filesystem::path root() const { return folder_.path(); }
  void write(const std::string& name, const std::string& content = "") const {
    std::filesystem::create_directories((root() / name).parent_path());
    std::ofstream(root() / name, std::ios::binary) << content;
  }
  static DataOptions of_split(const std::string& split) {
    DataOptions options;
    options.split = split;
    return options;
  }
  DataOptions with_classes(const std::string& lines) const {
    DataOptions options;
    options.labels = list_.write("classes.txt", lines).string();
    return options;
  }
  std::string refusal(const std::filesystem::path& path, const DataOptions& options = {}) const {
    try {
      load_image_data(path, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  }
  // "folder/name label" of each example.
  std::vector<std::string> listed(const DataSet& data) const {
    std::vector<std::string> lines;
    for (const Example& example : data.examples) {
      const auto file = std::filesystem::path(example.text).lexically_relative(root()).string();
      lines.push_back(file + (example.label ? " " + std::to_string(*example.label) : ""));
    }
    return lines;
  }

 private:
  TemporaryFolder folder_, list_;
};

// The first pixel's red, green and blue are the first bytes of the three planes.
std::string cifar_record(char label, char red, char green, char blue) {
  return std::string(1, label) + std::string(1024, red) + std::string(1024, green) + std::string(1024, blue);
}

TEST_F(ImageFolders, AFolderOfFoldersHasClassesAndFilesInTheirOrder) {
  for (const char* name :
       {"b/2.jpg", "b/10.PNG", "a/z.jpeg", "a/sub/1.jpg", "c/x.png", "c/notes.txt", "a/Thumbs.db", "list.txt"}) {
    write(name);
  }
  const DataSet data = load_image_data(root());
  EXPECT_THAT(data.label_names, ElementsAre("a", "b", "c"));
  EXPECT_EQ(data.label_count, 3);
  EXPECT_THAT(listed(data), ElementsAre("a/z.jpeg 0", "a/sub/1.jpg 0", "b/10.PNG 1", "b/2.jpg 1", "c/x.png 2"));
  EXPECT_EQ(data.name, root().filename().string());
  EXPECT_EQ(load_image_data(root() / "").name, data.name);
}

// As in ImageFolder: "10" comes before "2", and is class 1.
TEST_F(ImageFolders, FoldersThatAreNumbersAreNamesToo) {
  for (const char* name : {"0/a.jpg", "2/a.jpg", "10/a.jpg"}) write(name);
  const DataSet data = load_image_data(root());
  EXPECT_THAT(data.label_names, ElementsAre("0", "10", "2"));
  EXPECT_THAT(listed(data), ElementsAre("0/a.jpg 0", "10/a.jpg 1", "2/a.jpg 2"));
}

TEST_F(ImageFolders, ListedClassesNumberTheFolders) {
  for (const char* name : {"cat/1.jpg", "dog/1.jpg"}) write(name);
  const DataSet data = load_image_data(root(), with_classes("dog\nbird\ncat\n"));
  EXPECT_EQ(data.label_count, 3);
  EXPECT_THAT(listed(data), ElementsAre("cat/1.jpg 2", "dog/1.jpg 0"));
  EXPECT_THAT(refusal(root(), with_classes("dog\nbird\n")), HasSubstr("class 'cat' is not known; allowed: dog, bird"));
}

TEST_F(ImageFolders, RefusesFoldersThatAreNoDataSet) {
  EXPECT_THAT(refusal(root()), HasSubstr("it has no folders and no .jpg, .jpeg or .png files. It needs JPEG or PNG"));
  write("train/a/1.jpg");
  EXPECT_THAT(refusal(root()), AllOf(HasSubstr("it has one folder alone, 'train'"), HasSubstr("at least two classes")));
  write("empty/notes.txt");
  EXPECT_THAT(refusal(root()),
              AllOf(HasSubstr((root() / "empty").string()), HasSubstr("it has no .jpg, .jpeg or .png files")));
  write("empty/1.WebP");
  EXPECT_THAT(refusal(root()), AllOf(HasSubstr("1.WebP"), HasSubstr("its format is not read")));
  EXPECT_THAT(refusal(root() / "missing"), HasSubstr("no such file or folder"));
  EXPECT_THAT(refusal(root() / "train/a/1.jpg"), AllOf(HasSubstr("it is one image"), HasSubstr("predict --image")));
  EXPECT_THAT(refusal(root(), of_split("test")), HasSubstr("has no splits"));
}

TEST_F(ImageFolders, AFolderWithoutFoldersHasItsFilesInTheirOrderWithoutLabels) {
  for (const char* name : {"b.PNG", "10.jpg", "2.jpg", "notes.txt", ".hidden.jpg", ".git/index.jpg"}) write(name);
  const DataSet data = load_image_data(root());
  EXPECT_THAT(listed(data), ElementsAre("10.jpg", "2.jpg", "b.PNG"));
  EXPECT_EQ(data.label_count, 0);
  EXPECT_THAT(data.label_names, IsEmpty());
  EXPECT_EQ(data.name, root().filename().string());
  EXPECT_THAT(refusal(root(), of_split("test")), HasSubstr("has no splits"));
  write("c.gif");
  EXPECT_THAT(refusal(root()), AllOf(HasSubstr("c.gif"), HasSubstr("its format is not read")));
  write("cat/1.jpg");
  EXPECT_THAT(refusal(root()), HasSubstr("it has one folder alone, 'cat'")) << "files beside it are of no class";
}

TEST_F(ImageFolders, SplitsAreNoClasses) {
  for (const char* name : {"train/cat/1.jpg", "train/dog/1.jpg", "test/cat/1.jpg", "test/dog/1.jpg"}) write(name);
  EXPECT_THAT(refusal(root()), AllOf(HasSubstr("(test, train) are splits"), HasSubstr((root() / "test").string())));
  EXPECT_THAT(load_image_data(root() / "train").label_names, ElementsAre("cat", "dog"));
  write("bus/1.jpg");
  EXPECT_THAT(load_image_data(root()).label_names, ElementsAre("bus", "test", "train")) << "a train is a vehicle";
}

TEST_F(ImageFolders, Cifar10sPlanesBecomePixels) {
  std::string record = cifar_record(3, 10, 20, 30);
  record[1 + 33] = 'r';         // row 1, column 1
  record[1 + 1024 + 2] = 'g';   // row 0, column 2
  record[1 + 2048 + 32] = 'b';  // row 1, column 0
  write("data_batch_2.bin", cifar_record(9, 1, 2, 3));
  write("data_batch_1.bin", record + cifar_record(0, 4, 5, 6));
  write("batches.meta.txt", "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n");
  const DataSet data = load_image_data(root());
  EXPECT_EQ(data.name, "cifar10");
  EXPECT_EQ(data.label_names.at(3), "cat");
  ASSERT_EQ(data.examples.size(), 3U);
  EXPECT_EQ(data.examples[0].label, 3);
  EXPECT_EQ(data.examples[1].label, 0);
  EXPECT_EQ(data.examples[2].label, 9);
  ASSERT_NE(data.examples[0].image, nullptr);
  const Image& image = *data.examples[0].image;
  EXPECT_EQ(image.size(), (ImageSize{32, 32}));
  const auto pixel = [&](std::int64_t y, std::int64_t x) {
    const std::uint8_t* at = image.row(y) + 3 * x;
    return std::vector<int>{at[0], at[1], at[2]};
  };
  EXPECT_THAT(pixel(0, 0), ElementsAre(10, 20, 30));
  EXPECT_THAT(pixel(1, 1), ElementsAre('r', 20, 30));
  EXPECT_THAT(pixel(0, 2), ElementsAre(10, 'g', 30));
  EXPECT_THAT(pixel(1, 0), ElementsAre(10, 20, 'b'));
}

TEST_F(ImageFolders, Cifar10HasTwoSplits) {
  write("data_batch_1.bin", cifar_record(1, 0, 0, 0));
  EXPECT_EQ(load_image_data(root()).examples.at(0).label, 1);
  EXPECT_THAT(refusal(root(), of_split("test")), HasSubstr("has no test_batch.bin"));
  write("test_batch.bin", cifar_record(2, 0, 0, 0));
  EXPECT_THAT(refusal(root()), HasSubstr("choose one with --split train or --split test"));
  EXPECT_EQ(load_image_data(root(), of_split("train")).examples.at(0).label, 1);
  EXPECT_EQ(load_image_data(root(), of_split("test")).examples.at(0).label, 2);
  EXPECT_EQ(load_image_data(root() / "test_batch.bin").examples.at(0).label, 2);
  EXPECT_THAT(refusal(root(), of_split("validation")),
              HasSubstr("split 'validation' is not known; allowed: train, test"));
  EXPECT_EQ(load_image_data(root(), of_split("test")).label_count, 10);
  EXPECT_THAT(load_image_data(root(), of_split("test")).label_names, IsEmpty());
}

TEST_F(ImageFolders, RefusesBrokenCifar10Files) {
  write("test_batch.bin", cifar_record(2, 0, 0, 0).substr(1));
  EXPECT_THAT(refusal(root()), AllOf(HasSubstr("test_batch.bin"), HasSubstr("3072 bytes, not a multiple of the 3073")));
  write("test_batch.bin", "");
  EXPECT_THAT(refusal(root()), HasSubstr("it has 0 bytes"));
  write("test_batch.bin", cifar_record(2, 0, 0, 0) + cifar_record(10, 0, 0, 0));
  EXPECT_THAT(refusal(root()), HasSubstr("class of record 1 '10' is not valid; expected 0 to 9"));
  write("test_batch.bin", cifar_record(2, 0, 0, 0));
  write("batches.meta.txt", "cat\ndog\n");
  EXPECT_THAT(refusal(root()), HasSubstr("it has 2 names. CIFAR-10 has 10 classes"));
  EXPECT_THAT(refusal(root(), with_classes("a\nb\n")), HasSubstr("has classes of its own"));
}

TEST_F(ImageFolders, TheHashFollowsPixelsLabelsAndOrder) {
  const auto hash = [&](const std::string& bytes) {
    write("test_batch.bin", bytes);
    return sha256_of_media(load_image_data(root()));
  };
  const std::string a = cifar_record(1, 5, 5, 5);
  const std::string b = cifar_record(2, 5, 5, 5);
  EXPECT_EQ(hash(a + b), hash(a + b));
  EXPECT_NE(hash(a + b), hash(b + a));
  EXPECT_NE(hash(a), hash(b));
  EXPECT_NE(hash(a), hash(cifar_record(1, 5, 5, 6)));
}

}  // namespace
}  // namespace transformeter
