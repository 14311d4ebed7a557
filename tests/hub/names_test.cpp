// Names, options and selections, without a server.
#include <gmock/gmock.h>

#include <map>

#include "base/error.h"
#include "hub/http_transport.h"
#include "hub/hub_cache.h"
#include "hub/hub_options.h"
#include "hub/resolve_model.h"
#include "hub/selection.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kCommit(40, 'c');

HubOptions options_of(const std::map<std::string, std::string>& environment) {
  return hub_options([&](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(HubOptions, CacheIsWherePythonHasIt) {
  EXPECT_EQ(options_of({{"HOME", "/h"}}).cache, "/h/.cache/huggingface/hub");
  EXPECT_EQ(options_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).cache, "/x/huggingface/hub");
  EXPECT_EQ(options_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {"HF_HOME", "/hf"}}).cache, "/hf/hub");
  EXPECT_EQ(options_of({{"HOME", "/h"}, {"HF_HOME", "~/models"}}).cache, "/h/models/hub");
  EXPECT_EQ(options_of({{"HF_HOME", "/hf"}, {"HF_HUB_CACHE", "/c"}}).cache, "/c");
  EXPECT_EQ(options_of({{"HF_HOME", "/hf"}, {"HF_HUB_CACHE", ""}}).cache, "/hf/hub");
  EXPECT_THROW(options_of({}), Error);
}

TEST(HubOptions, TokenIsOfTheEnvironmentElseOfTheFile) {
  const TemporaryFolder folder;
  folder.write("token", "  hf_file\n");
  const std::string home = folder.path().string();
  EXPECT_EQ(options_of({{"HF_HOME", home}}).token, "hf_file");
  EXPECT_EQ(options_of({{"HF_HOME", home}, {"HF_TOKEN", "hf_own\r\n"}}).token, "hf_own");
  folder.write("other", "hf_other");
  EXPECT_EQ(options_of({{"HF_HOME", home}, {"HF_TOKEN_PATH", home + "/other"}}).token, "hf_other");
  EXPECT_EQ(options_of({{"HF_HOME", home + "/none"}}).token, "");
}

TEST(HubOptions, EndpointAndOffline) {
  EXPECT_EQ(options_of({{"HF_HOME", "/hf"}}).endpoint, "https://huggingface.co");
  EXPECT_EQ(options_of({{"HF_HOME", "/hf"}, {"HF_ENDPOINT", "http://localhost:8080/hub/"}}).endpoint,
            "http://localhost:8080/hub");
  for (const char* wrong : {"localhost", "ftp://x", "file:///etc", "http://"}) {
    EXPECT_THROW(options_of({{"HF_HOME", "/hf"}, {"HF_ENDPOINT", wrong}}), Error) << wrong;
  }
  EXPECT_FALSE(options_of({{"HF_HOME", "/hf"}, {"HF_HUB_OFFLINE", "0"}}).is_offline);
  for (const char* yes : {"1", "true", "YES", "on"}) {
    EXPECT_TRUE(options_of({{"HF_HOME", "/hf"}, {"HF_HUB_OFFLINE", yes}}).is_offline) << yes;
  }
}

TEST(Origin, IsSchemeHostAndPort) {
  EXPECT_EQ(origin_of("https://Example.org/a?b"), "https://example.org:443");
  EXPECT_EQ(origin_of("http://example.org:80"), origin_of("http://example.org/x"));
  EXPECT_NE(origin_of("http://example.org"), origin_of("https://example.org"));
  EXPECT_NE(origin_of("http://example.org:8080"), origin_of("http://example.org"));
  EXPECT_EQ(origin_of("http://example.org@evil.org/"), "http://evil.org:80") << "the first is a user's name";
}

TEST(RepositoryNames, AreTheHubs) {
  for (const char* name : {"gpt2", "google-bert/bert-base-uncased", "a/b.c_d-e", "_a/b_"}) {
    EXPECT_EQ(parse_repository(RepositoryType::kModel, name).name, name);
  }
  EXPECT_EQ(parse_repository(RepositoryType::kModel, "datasets/org/x").type, RepositoryType::kDataset);
  for (const std::string& name :
       {std::string(), std::string("a/b/c"), std::string("../x"), std::string("a/"), std::string("/a"),
        std::string("a--b"), std::string("a/.b"), std::string("a/b."), std::string("a b"), std::string("a/b.git"),
        std::string("a/\0b", 4), std::string(97, 'a'), std::string("a?b"), std::string("a/\xC3\xA9")}) {
    EXPECT_THROW(parse_repository(RepositoryType::kModel, name), Error) << name;
  }
}

TEST(ModelReference, IsNoPathThatExists) {
  EXPECT_FALSE(parse_model_reference("bert-base-uncased"));
  EXPECT_FALSE(parse_model_reference("./model"));
  EXPECT_FALSE(parse_model_reference("/a/b"));
  EXPECT_FALSE(parse_model_reference("a/b/"));
  EXPECT_FALSE(parse_model_reference("a/b/c"));
  const auto plain = parse_model_reference("no-such-org/name");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->revision, "main");
  EXPECT_EQ(plain->pinned(kCommit), "no-such-org/name@" + kCommit);
  EXPECT_EQ(parse_model_reference("no-such-org/name@refs/pr/1")->revision, "refs/pr/1");
  EXPECT_THROW(parse_model_reference("no-such-org/name@../x"), Error);
  EXPECT_THROW(parse_model_reference("no-such-org/name@"), Error);
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "org/name");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_FALSE(parse_model_reference("org/name")) << "a folder keeps its meaning";
  fs::current_path(before);
}

class CachedModel : public testing::Test {
 protected:
  void add(const std::string& path, const std::string& content = "{}") const {
    fs::create_directories((snapshot_ / path).parent_path());
    std::ofstream(snapshot_ / path) << content;
  }
  bool is_found(ModelParts parts) const { return cached_model(cache_, reference_, parts).has_value(); }

  TemporaryFolder folder_;
  HubCache cache_{folder_.path()};
  ModelReference reference_{{RepositoryType::kModel, "org/name"}, "main"};
  fs::path snapshot_ = cache_.snapshot(reference_.repository, kCommit);
};

TEST_F(CachedModel, IsFoundByItsRevision) {
  for (const char* name : {"config.json", "tokenizer.json", "model.safetensors"}) add(name);
  EXPECT_FALSE(is_found(ModelParts::kAll)) << "no name leads to it";
  cache_.store_ref(reference_.repository, "main", kCommit);
  EXPECT_TRUE(is_found(ModelParts::kAll));
  EXPECT_EQ(cached_model(cache_, reference_, ModelParts::kAll)->commit, kCommit);
  reference_.revision = kCommit;
  EXPECT_TRUE(is_found(ModelParts::kAll));
  reference_.revision = std::string(40, 'd');
  EXPECT_FALSE(is_found(ModelParts::kAll));
}

TEST_F(CachedModel, MustBeWhole) {
  reference_.revision = kCommit;
  add("vocab.txt");
  EXPECT_TRUE(is_found(ModelParts::kTokenizer));
  EXPECT_FALSE(is_found(ModelParts::kAll));
  add("config.json");
  add("model.safetensors.index.json", R"({"weight_map": {"a": "1.safetensors", "b": "2.safetensors"}})");
  add("1.safetensors");
  EXPECT_FALSE(is_found(ModelParts::kAll)) << "a shard is missing";
  fs::create_symlink("../../blobs/missing", snapshot_ / "2.safetensors");
  EXPECT_FALSE(is_found(ModelParts::kAll)) << "a link that leads nowhere";
  fs::remove(snapshot_ / "2.safetensors");
  add("2.safetensors");
  EXPECT_TRUE(is_found(ModelParts::kAll));
  fs::remove(snapshot_ / "vocab.txt");
  EXPECT_FALSE(is_found(ModelParts::kTokenizer));
  EXPECT_FALSE(is_found(ModelParts::kAll));
  add("preprocessor_config.json");
  EXPECT_TRUE(is_found(ModelParts::kAll)) << "it reads images";
  fs::rename(snapshot_ / "preprocessor_config.json", snapshot_ / "processor_config.json");
  EXPECT_TRUE(is_found(ModelParts::kAll)) << "it reads sounds, and Transformers 5 saved it";
  EXPECT_FALSE(is_found(ModelParts::kTokenizer));
}

TEST_F(CachedModel, ABrokenRefLeadsNowhere) {
  fs::create_directories(cache_.folder(reference_.repository) / "refs");
  for (const char* content : {"", "../../../etc", "0123"}) {
    std::ofstream(cache_.folder(reference_.repository) / "refs/main") << content;
    EXPECT_FALSE(is_found(ModelParts::kTokenizer)) << content;
  }
}

TEST(HubCache, LinksAreRelativeFromAnyDepth) {
  const TemporaryFolder folder;
  const HubCache cache(folder.path());
  const Repository repository{RepositoryType::kDataset, "org/name"};
  make_folders(cache.blob(repository, "").parent_path());
  std::ofstream(cache.blob(repository, "hash")) << "content";
  cache.link(repository, kCommit, "a/b/c.txt", "old");
  cache.link(repository, kCommit, "a/b/c.txt", "hash");  // replaces
  const fs::path link = folder.path() / "datasets--org--name/snapshots" / kCommit / "a/b/c.txt";
  EXPECT_EQ(fs::read_symlink(link), "../../../../blobs/hash");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(std::ifstream(link).rdbuf()), {}), "content");
}

TEST(Selection, PatternsAreShells) {
  EXPECT_TRUE(matches_any({"*.json"}, "a/b.json")) << "as huggingface_hub: a star takes slashes";
  EXPECT_TRUE(matches_any({"onnx/"}, "onnx/a/b"));
  EXPECT_FALSE(matches_any({"onnx/"}, "onnx"));
  EXPECT_FALSE(matches_any({"*.json"}, "a.jsonl"));
  EXPECT_FALSE(matches_any({}, "a"));
}

TEST(Selection, AModelComesWithWhatSentenceTransformersReads) {
  for (const char* path : {"modules.json", "sentence_bert_config.json", "sentence_roberta_config.json",
                           "config_sentence_transformers.json", "1_Pooling/config.json", "2_Dense/config.json",
                           "2_Dense/model.safetensors", "config.json", "tokenizer.json"}) {
    EXPECT_TRUE(is_model_description(path)) << path;
  }
  for (const char* path : {"2_Dense/pytorch_model.bin", "onnx/config.json", "a/1_Pooling/config.json", "README.md",
                           "sentence_pairs.json", "1_Pooling/model.safetensors"}) {
    EXPECT_FALSE(is_model_description(path)) << path;
  }
}

TEST(Selection, WeightsPreferTheSingleFile) {
  const auto names = [](const std::vector<RepositoryFile>& files) {
    std::vector<std::string> paths;
    for (const RepositoryFile& file : files) paths.push_back(file.path);
    return paths;
  };
  const std::vector<RepositoryFile> files{{"a.safetensors", 1, ""}, {"b/c.safetensors", 1, ""}, {"x.bin", 1, ""}};
  EXPECT_THAT(names(weight_files(files, {})), ElementsAre("a.safetensors"));
  EXPECT_THAT(names(weight_files(files, {"b/c.safetensors"})), ElementsAre("b/c.safetensors"));
  EXPECT_THROW(weight_files(files, {"x.bin"}), Error) << "an index may not smuggle a pickle in";
  std::vector<RepositoryFile> both = files;
  both.push_back({"model.safetensors", 1, ""});
  EXPECT_THAT(names(weight_files(both, {"a.safetensors"})), ElementsAre("model.safetensors"));
}

TEST(UrlEncoding, KeepsWhatAnUrlMayHold) {
  EXPECT_EQ(url_encoded("a b/ü%?#", true), "a%20b/%C3%BC%25%3F%23");
  EXPECT_EQ(url_encoded("refs/pr/1", false), "refs%2Fpr%2F1");
}

}  // namespace
}  // namespace transformeter
