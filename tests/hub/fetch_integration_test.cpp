// Fetching from a hub of our own: what comes, what is asked for, and every fault on the way.
#include "hub/fetch.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/error.h"
#include "base/file_lock.h"
#include "base/hash.h"
#include "hub/download.h"
#include "support/hub_server.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// No two blocks of it are alike.
std::string large_text(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i) + " ";
  text.resize(size);
  return text;
}

const std::string kWeights = large_text(500'000);

class Fetching : public testing::Test {
 protected:
  Fetching() {
    server_.add("models/org/tiny/config.json", R"({"model_type": "bert"})");
    server_.add("models/org/tiny/vocab.txt", "[PAD]\n");
    server_.add("models/org/tiny/README.md", "# Tiny");
    server_.add("models/org/tiny/model.safetensors", kWeights);
    server_.add("models/org/tiny/pytorch_model.bin", "a pickle");
    server_.add("models/org/tiny/onnx/model.safetensors", "another model's");
    settings_.attempts = 3;
    settings_.first_pause = Seconds(0.01);
    settings_.longest_pause = Seconds(3);
  }

  HubOptions options() const {
    HubOptions options;
    options.endpoint = server_.endpoint();
    options.cache = folder_.path() / "hub";
    options.token = token_;
    return options;
  }

  FetchResult get(const FetchOptions& wanted) const {
    HttpClient http(settings_);
    HubApi api(http, options());
    return fetch(api, cache_, wanted, {});
  }
  FetchResult get(const std::string& name = "org/tiny") const {
    FetchOptions wanted;
    wanted.repository = parse_repository(RepositoryType::kModel, name);
    return get(wanted);
  }

  std::string refusal(const FetchOptions& wanted, ErrorKind kind = ErrorKind::kBadInput) const {
    try {
      get(wanted);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "it was fetched";
    return "";
  }
  std::string refusal(const std::string& name = "org/tiny", ErrorKind kind = ErrorKind::kBadInput) const {
    FetchOptions wanted;
    wanted.repository = parse_repository(RepositoryType::kModel, name);
    return refusal(wanted, kind);
  }

  static std::vector<std::string> paths(const FetchResult& result) {
    std::vector<std::string> paths;
    for (const FetchedFile& one : result.files) paths.push_back(one.file.path);
    return paths;
  }

  fs::path weights_blob() const { return cache_.blob({RepositoryType::kModel, "org/tiny"}, sha256_hex(kWeights)); }
  void expect_whole(const FetchResult& result) const {
    EXPECT_EQ(read_file(result.folder / "model.safetensors"), kWeights);
    EXPECT_FALSE(fs::exists(incomplete_file(weights_blob())));
  }
  std::vector<std::string> ranges() const {
    std::vector<std::string> ranges;
    for (const Json& request : server_.requests("cdn"))
      ranges.push_back(request.at("range").is_null() ? "" : request["range"]);
    return ranges;
  }

  HubServer server_;
  TemporaryFolder folder_;
  HubCache cache_{folder_.path() / "hub"};
  HttpSettings settings_;
  std::string token_ = "hf_secret";
};

TEST_F(Fetching, TakesWhatAModelNeedsIntoPythonsLayout) {
  const FetchResult result = get();
  EXPECT_THAT(paths(result), UnorderedElementsAre("config.json", "vocab.txt", "model.safetensors"));
  EXPECT_EQ(result.folder, cache_.root() / "models--org--tiny/snapshots" / kServedCommit);
  EXPECT_EQ(read_file(cache_.root() / "models--org--tiny/refs/main"), kServedCommit);
  // Git's hash of "[PAD]\n", by `printf '[PAD]\n' | git hash-object --stdin`.
  EXPECT_EQ(fs::read_symlink(result.folder / "vocab.txt"), "../../blobs/7d59d1552e25259c1631f1f59a861832f3137588");
  EXPECT_EQ(fs::read_symlink(result.folder / "model.safetensors"), "../../blobs/" + sha256_hex(kWeights));
  expect_whole(result);
}

TEST_F(Fetching, AsksForNothingAgain) {
  get();
  const std::size_t before = server_.requests("resolve").size();
  const FetchResult again = get();
  EXPECT_EQ(server_.requests("resolve").size(), before);
  for (const FetchedFile& one : again.files) EXPECT_TRUE(one.was_cached) << one.file.path;
}

TEST_F(Fetching, SendsTheTokenToTheHubAlone) {
  get();
  for (const Json& request : server_.requests()) {
    const bool is_elsewhere = request["path"].get<std::string>().starts_with("/cdn/");
    EXPECT_EQ(request["token"], is_elsewhere ? Json() : Json("Bearer hf_secret")) << request;
  }
  EXPECT_THAT(server_.requests("/cdn/"), SizeIs(1)) << "the redirect to another host was followed";
}

TEST_F(Fetching, FollowsRelativeRedirectsWithTheToken) {
  server_.order({{"/api/models/tiny-old/*/revision/*", {{"status", 200}}},
                 {"/api/models/old/tiny/revision/main",
                  {{"status", 307}, {"headers", {{"Location", "/api/models/org/tiny/revision/main"}}}}},
                 {"/api/models/old/tiny/tree/*",
                  {{"status", 307}, {"headers", {{"Location", "/api/models/org/tiny/tree/" + kServedCommit}}}}},
                 {"/old/tiny/resolve/*/config.json",
                  {{"status", 307}, {"headers", {{"Location", "/org/tiny/resolve/main/config.json"}}}}}});
  FetchOptions wanted;
  wanted.repository = parse_repository(RepositoryType::kModel, "old/tiny");
  wanted.patterns.include = {"config.json"};
  EXPECT_THAT(paths(get(wanted)), ElementsAre("config.json"));
  for (const Json& request : server_.requests()) EXPECT_EQ(request["token"], "Bearer hf_secret") << request;
}

TEST_F(Fetching, RedirectsHaveAnEnd) {
  server_.order({{"/api/*", {{"status", 302}, {"times", -1}, {"headers", {{"Location", "/api/again"}}}}}});
  EXPECT_THAT(refusal("org/tiny", ErrorKind::kEnvironment), HasSubstr("more than 10 redirects"));
  server_.order({{"/api/*", {{"status", 302}, {"times", -1}, {"headers", {{"Location", "file:///etc/passwd"}}}}}});
  EXPECT_THAT(refusal(), HasSubstr("file:///etc/passwd"));
}

TEST_F(Fetching, GoesOnWhereAConnectionBroke) {
  server_.order({{"/cdn/*", {{"cut", 200'000}, {"times", 2}}}});
  expect_whole(get());
  EXPECT_THAT(ranges(), ElementsAre("", "bytes=200000-", "bytes=400000-"));
}

TEST_F(Fetching, GoesOnFromWhatAnEarlierFetchLeft) {
  fs::create_directories(weights_blob().parent_path());
  std::ofstream(incomplete_file(weights_blob())) << kWeights.substr(0, 123'456);
  expect_whole(get());
  EXPECT_THAT(ranges(), ElementsAre("bytes=123456-"));
}

TEST_F(Fetching, StartsAnewWhereTheServerKnowsNoRanges) {
  server_.order({{"/cdn/*", {{"no_range", true}, {"times", -1}}}});
  fs::create_directories(weights_blob().parent_path());
  std::ofstream(incomplete_file(weights_blob())) << kWeights.substr(0, 1000);
  expect_whole(get());
}

TEST_F(Fetching, StartsAnewWhereWhatLayThereWasNoPartOfIt) {
  fs::create_directories(weights_blob().parent_path());
  std::ofstream(incomplete_file(weights_blob())) << std::string(1000, 'x');
  expect_whole(get());
  EXPECT_THAT(ranges(), ElementsAre("bytes=1000-", ""));
  fs::remove(weights_blob());
  std::ofstream(incomplete_file(weights_blob())) << kWeights + "and more";
  expect_whole(get());
}

TEST_F(Fetching, GivesUpOnAServerThatBeginsAnewForEver) {
  server_.order({{"/cdn/*", {{"no_range", true}, {"cut", 200'000}, {"times", -1}}}});
  EXPECT_THAT(refusal("org/tiny", ErrorKind::kEnvironment), HasSubstr("'model.safetensors'"));
  EXPECT_EQ(server_.requests("/cdn/").size(), 3u)
      << "as many as are allowed from the last one that brought something new";
}

TEST_F(Fetching, RefusesAnotherPartThanItAskedFor) {
  server_.order({{"/cdn/*", {{"wrong_range", true}, {"times", -1}}}});
  fs::create_directories(weights_blob().parent_path());
  std::ofstream(incomplete_file(weights_blob())) << kWeights.substr(0, 1000);
  EXPECT_THAT(refusal("org/tiny", ErrorKind::kEnvironment), HasSubstr("bytes 0-499999/500000"));
}

TEST_F(Fetching, GivesUpAfterATimeAndKeepsWhatCame) {
  server_.order({{"/cdn/*", {{"cut", 0}, {"times", -1}}}});
  fs::create_directories(weights_blob().parent_path());
  std::ofstream(incomplete_file(weights_blob())) << kWeights.substr(0, 5000);
  EXPECT_THAT(refusal("org/tiny", ErrorKind::kEnvironment), HasSubstr("'model.safetensors' of model 'org/tiny'"));
  EXPECT_EQ(server_.requests("/cdn/").size(), 3u) << "attempts";
  EXPECT_EQ(fs::file_size(incomplete_file(weights_blob())), 5000u);
  EXPECT_FALSE(fs::exists(cache_.root() / "models--org--tiny/refs/main")) << "no name for half a snapshot";
}

TEST_F(Fetching, RefusesWrongBytesAndLengths) {
  const std::string hash(64, 'a');
  const auto list = [&](std::size_t size) {
    server_.add("models/org/tiny.tree.json", Json{{{"type", "file"},
                                                   {"path", "model.safetensors"},
                                                   {"size", size},
                                                   {"oid", std::string(40, 'b')},
                                                   {"lfs", {{"oid", hash}, {"size", size}, {"pointerSize", 1}}}}}
                                                 .dump());
  };
  list(kWeights.size());
  EXPECT_THAT(refusal(), AllOf(HasSubstr(sha256_hex(kWeights)), HasSubstr(hash)));
  EXPECT_FALSE(fs::exists(incomplete_file(cache_.blob({RepositoryType::kModel, "org/tiny"}, hash)))) << "it was wrong";
  list(kWeights.size() - 1);
  EXPECT_THAT(refusal(), HasSubstr("more than the expected 499999 bytes of 'model.safetensors'"));
  list(kWeights.size() + 1);
  EXPECT_THAT(refusal("org/tiny", ErrorKind::kEnvironment),
              HasSubstr("closed the connection after 500000 of 500001 bytes"));
}

TEST_F(Fetching, TriesAgainWhereAServerIsBusyOrUnwell) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    server_.order({{"/api/models/org/tiny/revision/main", {{"status", status}, {"times", 2}}}});
    EXPECT_NO_THROW(get()) << status;
  }
  server_.order({{"/api/models/org/tiny/tree/*", {{"drop", true}, {"times", 1}}}});
  EXPECT_NO_THROW(get());
}

TEST_F(Fetching, WaitsAsLongAsTheServerSaysButNotForEver) {
  server_.order({{"/api/*", {{"status", 429}, {"headers", {{"Retry-After", "1"}}}}}});
  const auto start = std::chrono::steady_clock::now();
  get();
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  server_.order({{"/api/*", {{"status", 429}, {"times", -1}, {"headers", {{"Retry-After", "3600"}}}}}});
  const std::size_t before = server_.requests("/api/").size();
  EXPECT_THAT(refusal("org/tiny", ErrorKind::kEnvironment), HasSubstr("try again after 3600 s"));
  EXPECT_EQ(server_.requests("/api/").size(), before + 1);
}

TEST_F(Fetching, BoundsItsTries) {
  server_.order({{"/api/*", {{"status", 503}, {"times", -1}}}});
  EXPECT_THAT(refusal("org/tiny", ErrorKind::kEnvironment), HasSubstr("responded 503"));
  EXPECT_EQ(server_.requests("/api/").size(), 3u);
}

TEST_F(Fetching, SaysWhatToDoAboutRefusals) {
  const auto answer = [&](int status, const char* code) {
    server_.order({{"/api/*", {{"status", status}, {"times", -1}, {"headers", {{"X-Error-Code", code}}}}}});
    return refusal();
  };
  EXPECT_THAT(answer(403, "GatedRepo"), AllOf(HasSubstr("model 'org/tiny' is gated"),
                                              HasSubstr("Accept its terms at " + server_.endpoint() + "/org/tiny")));
  EXPECT_THAT(answer(401, "GatedRepo"), HasSubstr("is gated"));
  EXPECT_THAT(answer(404, "RevisionNotFound"), HasSubstr("no such branch, tag or commit"));
  EXPECT_THAT(answer(404, "RepoNotFound"), HasSubstr("no such model"));
  EXPECT_THAT(answer(403, "Forbidden"), HasSubstr("The token in HF_TOKEN"));
  token_.clear();
  EXPECT_THAT(answer(401, ""), HasSubstr("Set HF_TOKEN"));
}

TEST_F(Fetching, RefusesAnswersThatAreNone) {
  const auto answer = [&](const std::string& body) {
    server_.order({{"/api/*", {{"status", 200}, {"times", -1}, {"body", body}}}});
    return refusal();
  };
  EXPECT_THAT(answer("<!DOCTYPE html><html>"), AllOf(HasSubstr("web page"), HasSubstr("HF_ENDPOINT")));
  EXPECT_THAT(answer("{\"sha\": \"0123"), HasSubstr("not valid JSON"));
  EXPECT_THAT(answer("{}"), HasSubstr("no member 'sha'"));
  EXPECT_THAT(answer("{\"sha\": \"../../x\"}"), HasSubstr("'../../x' is not a commit"));
  EXPECT_THAT(answer(""), HasSubstr("not valid JSON"));
}

TEST_F(Fetching, RefusesNamesThatLeadAstray) {
  for (const char* name : {"../x", "/etc/passwd", "a/../../x", "a\\..\\x", "a//x", ".", "a/.", "", "a\nb"}) {
    server_.add("models/org/tiny.tree.json",
                Json{{{"type", "file"}, {"path", name}, {"size", 1}, {"oid", std::string(40, 'b')}}}.dump());
    EXPECT_THAT(refusal(), HasSubstr("names the file")) << name;
  }
  server_.add(
      "models/org/tiny.tree.json",
      R"([{"type":"file","path":"config.json\u0000.txt","size":1,"oid":"0123456789012345678901234567890123456789"}])");
  EXPECT_THAT(refusal(), HasSubstr("control character"));
  server_.add("models/org/tiny.tree.json", R"([{"type":"file","path":"config.json","size":1,"oid":"../../../x"}])");
  EXPECT_THAT(refusal(), HasSubstr("not a hash of 40 digits"));
}

TEST_F(Fetching, EndsAListingThatHasNoEnd) {
  server_.order({{"/api/models/org/tiny/tree/*",
                  {{"status", 200},
                   {"times", -1},
                   {"body", "[]"},
                   {"headers", {{"Link", "<" + server_.endpoint() + "/api/models/org/tiny/tree/x>; rel=\"next\""}}}}}});
  EXPECT_THAT(refusal(), HasSubstr("the listing does not end"));
}

TEST_F(Fetching, TakesTheShardsOfTheIndexAndNoOthers) {
  for (const char* name : {"model-1.safetensors", "model-2.safetensors", "consolidated.safetensors"}) {
    server_.add(std::string("models/org/sharded/") + name, name);
  }
  server_.add("models/org/sharded/config.json", "{}");
  const auto index = [&](const Json& map) {
    server_.add("models/org/sharded/model.safetensors.index.json", Json{{"weight_map", map}}.dump());
  };
  index({{"a", "model-1.safetensors"}, {"b", "model-2.safetensors"}, {"c", "model-2.safetensors"}});
  EXPECT_THAT(paths(get("org/sharded")), UnorderedElementsAre("config.json", "model.safetensors.index.json",
                                                              "model-1.safetensors", "model-2.safetensors"));
  index({{"a", "model-3.safetensors"}});
  EXPECT_THAT(refusal("org/sharded"), HasSubstr("lists 'model-3.safetensors'"));
  index({{"a", "../../x.safetensors"}});
  EXPECT_THAT(refusal("org/sharded"), HasSubstr("could point outside its folder"));
  index({{"a", 1}});
  EXPECT_THAT(refusal("org/sharded"), HasSubstr("file name is not a string"));
}

TEST_F(Fetching, RefusesPicklesWithTheReason) {
  server_.add("models/org/old/config.json", "{}");
  server_.add("models/org/old/pytorch_model.bin", "a pickle");
  EXPECT_THAT(refusal("org/old"),
              AllOf(HasSubstr("only has weights in 'pytorch_model.bin'"), HasSubstr("can run arbitrary code")));
  FetchOptions wanted;
  wanted.repository = parse_repository(RepositoryType::kModel, "org/tiny");
  wanted.patterns.include = {"*.bin", "*.json"};
  EXPECT_THAT(get(wanted).refused, ElementsAre("pytorch_model.bin"));
  wanted.patterns.include = {"*.bin"};
  EXPECT_THAT(refusal(wanted), HasSubstr("can run arbitrary code"));
  EXPECT_THAT(server_.requests("pytorch_model.bin"), IsEmpty());
}

TEST_F(Fetching, PatternsChoose) {
  FetchOptions wanted;
  wanted.repository = parse_repository(RepositoryType::kModel, "org/tiny");
  wanted.patterns.include = {"onnx/", "*.md"};
  EXPECT_THAT(paths(get(wanted)), UnorderedElementsAre("README.md", "onnx/model.safetensors"));
  EXPECT_EQ(read_file(cache_.snapshot(wanted.repository, kServedCommit) / "onnx/model.safetensors"), "another model's");
  wanted.patterns.exclude = {"*.md"};
  EXPECT_THAT(paths(get(wanted)), ElementsAre("onnx/model.safetensors"));
  wanted.patterns.include = {"nothing"};
  EXPECT_THAT(refusal(wanted), HasSubstr("none of which is selected by --include"));
}

TEST_F(Fetching, TakesADataSetWhole) {
  server_.add("datasets/org/texts/train/a b.csv", "text\n");
  server_.add("datasets/org/texts/.gitattributes", "");
  server_.add("datasets/org/texts/README.md", "#");
  FetchOptions wanted;
  wanted.repository = parse_repository(RepositoryType::kModel, "datasets/org/texts");
  const FetchResult result = get(wanted);
  EXPECT_THAT(paths(result), UnorderedElementsAre("README.md", "train/a b.csv"));
  EXPECT_EQ(read_file(cache_.root() / "datasets--org--texts/snapshots" / kServedCommit / "train/a b.csv"), "text\n");
}

TEST_F(Fetching, RevisionsHaveNamesOfTheirOwn) {
  FetchOptions wanted;
  wanted.repository = parse_repository(RepositoryType::kModel, "org/tiny");
  wanted.revision = "refs/pr/1";
  get(wanted);
  EXPECT_EQ(read_file(cache_.root() / "models--org--tiny/refs/refs/pr/1"), kServedCommit);
  wanted.revision = "no-such";
  EXPECT_THAT(refusal(wanted), HasSubstr("'no-such'"));
  wanted.revision = "../../x";
  EXPECT_THAT(refusal(wanted), HasSubstr("a branch, a tag or a commit"));
}

TEST_F(Fetching, NeedsRoomOnTheDisk) {
  server_.add(
      "models/org/tiny.tree.json",
      Json{{{"type", "file"}, {"path", "model.safetensors"}, {"size", 1LL << 60}, {"oid", std::string(40, 'b')}}}
          .dump());
  EXPECT_THAT(refusal("org/tiny", ErrorKind::kEnvironment),
              AllOf(HasSubstr("needs 1048576 TiB more"), HasSubstr("Free space")));
  EXPECT_THAT(server_.requests("resolve"), IsEmpty());
}

TEST_F(Fetching, StopsWhenTheUserSaysSo) {
  std::atomic<bool> interrupt{false};
  settings_.interrupt = &interrupt;
  server_.order({{"/cdn/*", {{"pause", 0.2}, {"times", -1}}}});
  std::thread stopper([&] {
    while (!fs::exists(incomplete_file(weights_blob())) || fs::file_size(incomplete_file(weights_blob())) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    interrupt.store(true);
  });
  refusal("org/tiny", ErrorKind::kInterrupted);
  stopper.join();
  EXPECT_GT(fs::file_size(incomplete_file(weights_blob())), 0u) << "kept for the next time";
  interrupt.store(false);
  server_.order(Json::object());
  expect_whole(get());
  EXPECT_THAT(ranges().back(), HasSubstr("bytes="));
}

TEST_F(Fetching, OfADataSetWhatIsChosenAndTheWholeListing) {
  for (const char* path : {"train.csv", "test.csv", "big.parquet", "evil.pkl"}) {
    server_.add(std::string("datasets/org/texts/") + path, "text\n");
  }
  FetchOptions wanted;
  wanted.repository = parse_repository(RepositoryType::kDataset, "org/texts");
  wanted.choose = [](const std::vector<std::string>& all) {
    EXPECT_THAT(all, UnorderedElementsAre("train.csv", "test.csv", "big.parquet", "evil.pkl"));
    return std::vector<std::string>{"big.parquet", "test.csv", "evil.pkl"};
  };
  EXPECT_THAT(paths(get(wanted)), UnorderedElementsAre("big.parquet", "test.csv")) << "pickles never are";
  const auto listing = cache_.listing(wanted.repository, kServedCommit);
  ASSERT_TRUE(listing);
  EXPECT_THAT(*listing, SizeIs(4));
  EXPECT_FALSE(fs::exists(cache_.snapshot(wanted.repository, kServedCommit) / "train.csv"));
  wanted.choose = [](const std::vector<std::string>&) -> std::vector<std::string> {
    throw Error(ErrorKind::kBadInput, "no such split");
  };
  EXPECT_EQ(refusal(wanted), "no such split");
}

TEST_F(Fetching, AnUnreachableHubIsNamed) {
  HttpClient http(settings_);
  HubOptions nowhere = options();
  nowhere.endpoint = "http://127.0.0.1:9";  // the discard port, where nothing listens
  HubApi api(http, nowhere);
  FetchOptions wanted;
  wanted.repository = parse_repository(RepositoryType::kModel, "org/tiny");
  try {
    fetch(api, cache_, wanted, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("from http://127.0.0.1:9: "));
  }
}

TEST_F(Fetching, NeverGoesOutOffline) {
  HttpClient http(settings_);
  HubOptions offline = options();
  offline.is_offline = true;
  HubApi api(http, offline);
  FetchOptions wanted;
  wanted.repository = parse_repository(RepositoryType::kModel, "org/tiny");
  EXPECT_THROW(fetch(api, cache_, wanted, {}), Error);
  EXPECT_THAT(server_.requests(), IsEmpty());
}

}  // namespace
}  // namespace transformeter
