// Folders and tables of images, and every way they can be wrong. No image is decoded here.
#include "datasets/image_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "datasets/media_data.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

class ImageData : public testing::Test {
 protected:
  fs::path put(const std::string& name, const std::string& content = "image") {
    fs::create_directories((folder_.path() / name).parent_path());
    return folder_.write(name, content);
  }
  std::vector<std::string> names(const DataSet& data) const {
    std::vector<std::string> names;
    for (const Example& example : data.examples) {
      names.push_back(fs::path(example.text).lexically_relative(folder_.path()).string());
    }
    return names;
  }
  std::string failure_of(const fs::path& path, const DataOptions& options = {}) const {
    try {
      load_image_data(path, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << path;
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ImageData, OfAFolderOfClassesStayWhereATableLiesBesideThem) {
  for (const char* name : {"pets/dog/b.JPG", "pets/cat/z.jpeg", "pets/metadata.parquet"}) put(name);
  EXPECT_THAT(load_image_data(folder_.path() / "pets").label_names, ElementsAre("cat", "dog"));
}

TEST_F(ImageData, OfAFolderHaveItsClasses) {
  for (const char* name : {"pets/dog/b.JPG", "pets/cat/z.jpeg"}) put(name);
  const DataSet data = load_image_data(folder_.path() / "pets");
  EXPECT_EQ(data.task, Task::kImageClassification);
  EXPECT_EQ(data.name, "pets");
  EXPECT_THAT(data.label_names, ElementsAre("cat", "dog"));
  EXPECT_EQ(data.label_count, 2);
  EXPECT_THAT(names(data), ElementsAre("pets/cat/z.jpeg", "pets/dog/b.JPG"));
  EXPECT_EQ(data.examples[1].label, 1);
  DataOptions options;
  options.labels = put("classes.txt", "dog\nbird\ncat\n").string();
  EXPECT_EQ(load_image_data(folder_.path() / "pets", options).examples[0].label, 2) << "as listed";
}

TEST_F(ImageData, OfCifar10ArePixels) {
  const std::string record = std::string(1, 3) + std::string(1024, 10) + std::string(1024, 20) + std::string(1024, 30);
  put("cifar/test_batch.bin", record + record);
  const DataSet data = load_image_data(folder_.path() / "cifar");
  ASSERT_EQ(data.examples.size(), 2U);
  EXPECT_EQ(data.examples[0].label, 3);
  const Image image = image_of(data.examples[1]);
  EXPECT_EQ(image.size(), (ImageSize{32, 32}));
  EXPECT_EQ(image.pixels[1], 20);
  EXPECT_NE(sha256_of_media(data), "");
}

TEST_F(ImageData, OfATableCountPathsFromItsFolder) {
  const fs::path table = put("tables/t.csv", "label,file_name\ndog,d/1.png\ncat,../2.jpg\n");
  for (const char* name : {"tables/d/1.png", "tables/1.png", "2.jpg"}) put(name);
  const DataSet data = load_image_data(table);
  EXPECT_THAT(names(data), ElementsAre("tables/d/1.png", "tables/../2.jpg"));
  EXPECT_THAT(data.label_names, ElementsAre("cat", "dog"));
  EXPECT_EQ(data.examples[0].label, 1);
  EXPECT_FALSE(data.sha256.empty());
  DataOptions options;
  options.text_column = "picture";
  const DataSet lines = load_image_data(put("tables/t.jsonl", "{\"picture\": \"1.png\", \"label\": 0}\n"), options);
  EXPECT_THAT(names(lines), ElementsAre("tables/1.png"));
}

TEST_F(ImageData, ThatIsWrongIsRefusedByName) {
  put("one/dog/a.png");
  EXPECT_THAT(failure_of(folder_.path() / "one"), HasSubstr("'dog'"));
  EXPECT_THAT(failure_of(folder_.path() / "missing"), HasSubstr("no such file or folder"));
  EXPECT_THAT(failure_of(put("x.csv", "name,label\na,b\n")), HasSubstr("--text-column"));
  EXPECT_THAT(failure_of(put("y.csv", "path,label\n")), HasSubstr("no rows"));
  EXPECT_THAT(failure_of(put("z.csv", "path,label\none/dog/a.png,1\nnone.png,0\n")),
              AllOf(HasSubstr("z.csv:3: image"), HasSubstr("there is no file")));
  EXPECT_THAT(failure_of(put("v.csv", "path,label\n  ,1\n")), AllOf(HasSubstr("v.csv:2"), HasSubstr("it is empty")));
  DataOptions options;
  options.label_column = "label";
  EXPECT_THAT(failure_of(folder_.path() / "t.csv", options), HasSubstr("no such file or folder"));
  put("two/dog/a.png");
  put("two/cat/a.png");
  put("two/.cache/notes.txt");
  EXPECT_EQ(load_image_data(folder_.path() / "two").label_count, 2) << "hidden folders are no classes";
  fs::create_directory_symlink("..", folder_.path() / "two/cat/loop");
  EXPECT_THAT(failure_of(folder_.path() / "two"), HasSubstr("links lead to no folder around them"));
  fs::remove(folder_.path() / "two/cat/loop");
  EXPECT_THAT(failure_of(folder_.path() / "two", options), HasSubstr("no columns"));
  options = {};
  options.split = "train";
  EXPECT_THAT(failure_of(put("w.csv", "path\none/dog/a.png\n"), options), HasSubstr("no splits"));
}

TEST_F(ImageData, IsKnownByBytesClassesAndOrder) {
  put("a/1/x.png", "one");
  put("a/2/y.png", "two");
  const std::string before = sha256_of_media(load_image_data(folder_.path() / "a"));
  EXPECT_EQ(before, sha256_of_media(load_image_data(folder_.path() / "a")));
  fs::rename(folder_.path() / "a/2", folder_.path() / "a/3");
  EXPECT_NE(before, sha256_of_media(load_image_data(folder_.path() / "a"))) << "another class";
  fs::rename(folder_.path() / "a/3", folder_.path() / "a/2");
  put("a/2/y.png", "other");
  EXPECT_NE(before, sha256_of_media(load_image_data(folder_.path() / "a")));
  fs::remove(folder_.path() / "a/2/y.png");
  DataSet data;
  data.examples.push_back({(folder_.path() / "a/2/y.png").string(), std::nullopt, std::nullopt});
  EXPECT_THROW(sha256_of_media(data), Error);
}

// Rows may have one image in common, whatever they say of it.
TEST_F(ImageData, OfATableMayHaveCaptions) {
  for (const char* name : {"t/a.png", "t/b.png"}) put(name, name);
  const auto captions = [&](const std::string& last) {
    return load_image_data(put("t/t.csv", "image,caption,label\na.png,one,0\nb.png,two,1\n./a.png," + last + ",0\n"),
                           {}, Task::kContrastiveImageText);
  };
  const DataSet data = captions("three");
  EXPECT_EQ(data.task, Task::kContrastiveImageText);
  ASSERT_EQ(data.examples.size(), 3U);
  EXPECT_EQ(data.examples[1].caption, "two");
  EXPECT_EQ(data.label_count, 0) << "the column label is no caption";
  EXPECT_THAT(image_numbers(data.examples), ElementsAre(0, 1, 0));
  EXPECT_EQ(sha256_of_media(data), sha256_of_media(captions("three")));
  EXPECT_NE(sha256_of_media(data), sha256_of_media(captions("four"))) << "another caption";
  EXPECT_EQ(load_image_data(folder_.path() / "t/t.csv").examples[1].caption, std::nullopt);
}

}  // namespace
}  // namespace transformeter
