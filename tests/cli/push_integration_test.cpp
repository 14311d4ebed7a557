// `push` by the real command against a hub of our own: what is sent, what is not, and every refusal.
#include <gmock/gmock.h>

#include "base/hash.h"
#include "cli/hub_shell.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class PushCommand : public HubCommandTest {
 protected:
  PushCommand() {
    fs::create_directories(folder_.path() / "m/onnx");
    fs::create_directories(folder_.path() / "m/.cache");
    folder_.write("m/config.json", R"({"model_type": "bert"})");
    folder_.write("m/model.safetensors", weights_);
    folder_.write("m/onnx/readme ü.txt", "text");
    folder_.write("m/empty.safetensors", "");
    folder_.write("m/.cache/x", "hidden");
    fs::create_directories(server_.root() / "models/org/there");
  }

  ShellResult hub(const std::string& script) const { return HubCommandTest::hub(script, "HF_TOKEN=hf_secret"); }
  std::string pushed(const std::string& path) const { return read_file(server_.root() / "models" / path); }

  std::string weights_ = std::string(1000, 'w');
};

TEST_F(PushCommand, UploadsAFolderAsOneCommit) {
  const ShellResult result = hub("$T push m org/there --message 'The first' --format json");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  for (const char* path : {"config.json", "model.safetensors", "onnx/readme ü.txt", "empty.safetensors"}) {
    EXPECT_EQ(pushed(std::string("org/there/") + path), read_file(folder_.path() / "m" / path)) << path;
  }
  EXPECT_EQ(pushed("org/there.message"), "The first");
  EXPECT_FALSE(fs::exists(server_.root() / "models/org/there/.cache")) << "hidden files are nobody's business";
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["commit"], kServedCommit);
  EXPECT_EQ(json["files"][2], Json({{"path", "model.safetensors"}, {"size_bytes", 1000}, {"state", "uploaded"}}));
  EXPECT_EQ(json["files"][1]["state"], "in the commit") << "storage takes no empty files";
  EXPECT_THAT(server_.requests("/commit/"), SizeIs(1));
}

TEST_F(PushCommand, SendsInPartsWhereTheHubAsksForThem) {
  for (int i = 0; i < 50'000; ++i) weights_ += std::to_string(i);
  folder_.write("m/model.safetensors", weights_);
  const ShellResult result = hub("$T push m org/there");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(pushed("org/there/model.safetensors"), weights_);
  EXPECT_THAT(server_.requests("/lfs/" + sha256_hex(weights_) + "."), SizeIs(weights_.size() / 100'000 + 1));
}

TEST_F(PushCommand, TheTokenGoesToTheHubAlone) {
  hub("$T push m org/there");
  const std::vector<Json> uploads = server_.requests("/lfs/" + sha256_hex(weights_));
  ASSERT_THAT(uploads, SizeIs(1));
  EXPECT_EQ(uploads[0]["token"], Json()) << "another host";
  for (const Json& request : server_.requests("/api/")) EXPECT_EQ(request["token"], "Bearer hf_secret");
}

TEST_F(PushCommand, SendsNothingTwice) {
  hub("$T push m org/there");
  const ShellResult again = hub("$T push m org/there");
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.output, HasSubstr("unchanged"));
  EXPECT_THAT(server_.requests("/lfs/" + sha256_hex(weights_)), SizeIs(1));
}

TEST_F(PushCommand, GoesOnAfterItBrokeOff) {
  folder_.write("m/second.safetensors", "another");
  server_.order({{"/lfs/" + sha256_hex("another"), {{"status", 403}}}});
  const ShellResult broken = hub("$T push m org/there");
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_THAT(broken.errors, HasSubstr("second.safetensors"));
  EXPECT_THAT(server_.requests("/commit/"), IsEmpty());
  EXPECT_EQ(hub("$T push m org/there").exit_code, 0);
  EXPECT_THAT(server_.requests("/lfs/" + sha256_hex(weights_)), SizeIs(1)) << "the first was there";
  EXPECT_EQ(pushed("org/there/second.safetensors"), "another");
}

TEST_F(PushCommand, TriesAnUploadAgain) {
  server_.order({{"/lfs/" + sha256_hex(weights_), {{"status", 500}}}});
  EXPECT_EQ(hub("$T push m org/there").exit_code, 0);
  EXPECT_EQ(pushed("org/there/model.safetensors"), weights_);
}

TEST_F(PushCommand, ACommitIsNotTriedAgainWhereItMayHaveHappened) {
  server_.order({{"/api/models/org/there/commit/main", {{"status", 500}}}});
  EXPECT_EQ(hub("$T push m org/there").exit_code, 3);
  EXPECT_THAT(server_.requests("/commit/"), SizeIs(1));
  server_.order({{"/api/models/org/there/commit/main", {{"status", 429}}}});
  EXPECT_EQ(hub("$T push m org/there").exit_code, 0) << "the server said that it did nothing";
}

TEST_F(PushCommand, CreatesWhenAsked) {
  const ShellResult missing = hub("$T push m org/new");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.errors, AllOf(HasSubstr("no such model"), HasSubstr("Use --create to create the repository")));
  EXPECT_EQ(hub("$T push m org/new --create --private").exit_code, 0);
  EXPECT_EQ(pushed("org/new/.private"), "private");
  EXPECT_EQ(hub("$T push m org/new --create").exit_code, 0) << "one that is there is no error";
  EXPECT_THAT(hub("$T push m org/new --private").errors, HasSubstr("--create is not given"));
}

TEST_F(PushCommand, RefusesBeforeAnythingIsSent) {
  const auto refused = [&](const std::string& script, const std::string& message) {
    const ShellResult result = hub(script);
    EXPECT_EQ(result.exit_code, 3) << script;
    EXPECT_THAT(result.errors, HasSubstr(message)) << script;
  };
  refused("unset HF_TOKEN; $T push m org/there", "push needs a token");
  refused("HF_HUB_OFFLINE=1 $T push m org/there", "HF_HUB_OFFLINE is set");
  refused("$T push onnx org/there", "no config.json");
  refused("$T push m there", "org/name");
  refused("$T push m", "push DIR org/name");
  refused("$T push m ../x", "is not valid; expected org/name");
  folder_.write("m/pytorch_model.bin", "a pickle");
  refused("$T push m org/there", "cannot push 'm/pytorch_model.bin': loading a pickle can run arbitrary code");
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(PushCommand, WhatWasPushedIsFetched) {
  EXPECT_EQ(hub("$T push m org/there && $T fetch org/there").exit_code, 0);
  const fs::path snapshot = folder_.path() / "hf/hub/models--org--there/snapshots" / kServedCommit;
  EXPECT_EQ(read_file(snapshot / "model.safetensors"), weights_);
  EXPECT_EQ(hub("$T push hf/hub/models--org--there/snapshots/* org/copy --create").exit_code, 0)
      << "links are followed";
  EXPECT_EQ(pushed("org/copy/model.safetensors"), weights_);
}

}  // namespace
}  // namespace transformeter
