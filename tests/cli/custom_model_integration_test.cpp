// The example of a worker with a family outside the tree: its presets and its checkpoints, measured by the usual
// command.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/shell.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class CustomModel : public CommandTest {
 protected:
  void SetUp() override {
    if (!fs::exists(worker_)) GTEST_SKIP() << "custom-model-worker is not built (TRANSFORMETER_WORKER=OFF)";
  }
  ShellResult run(const std::string& flags) const {
    return shell("$T run --store r.db --samples 5 --warmup 1 --batch-size 2 --worker " + worker_.string() + " " +
                 flags);
  }

  const fs::path worker_ = binary_directory() / "bin/custom-model-worker";
};

TEST_F(CustomModel, IsMeasuredBesideTheBuiltInOnes) {
  const ShellResult result =
      run("--model fnet-test,bert-test --task sequence_classification,embedding --sequence-length 64,natural --limit 8 "
          "--precision fp32,bf16");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 16u);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    const bool is_custom = one.requested.at("model") == "fnet-test";
    EXPECT_EQ(one.effective.at("model").at("family"), is_custom ? "fnet" : "bert");
    EXPECT_EQ(one.effective.at("attention_kernel") == "own", is_custom);
    EXPECT_EQ(one.workload_key.size(), 64u);
  }
}

// Bytes for words: the same text has more tokens than with the bundled vocabulary.
TEST_F(CustomModel, BringsItsOwnTokenizer) {
  ASSERT_EQ(run("--model fnet-test,bert-test --sequence-length natural --limit 4 --precision fp32").exit_code, 0);
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2u);
  const auto tokens = [&](std::size_t index) {
    return stored.cases[index].effective.at("cycle").at("useful_tokens").get<int>();
  };
  EXPECT_GT(tokens(0), 3 * tokens(1)) << stored.cases[0].requested.dump();
}

TEST_F(CustomModel, SaysWhatItCannotDo) {
  const ShellResult task = run("--model fnet-test --task masked_lm");
  EXPECT_EQ(task.exit_code, 1);
  EXPECT_THAT(task.output, AllOf(HasSubstr("unsupported"), HasSubstr("masked_lm")));
  const ShellResult name = run("--model fnet-tset");
  EXPECT_EQ(name.exit_code, 3);
  EXPECT_THAT(name.errors, HasSubstr("Did you mean 'fnet-test'?"));
  const ShellResult usual = shell("$T run --store r.db --model fnet-test");
  EXPECT_EQ(usual.exit_code, 3) << "the usual worker does not know it";
}

// A checkpoint folder of the family: its config.json is read by the worker alone.
TEST_F(CustomModel, ReadsItsCheckpoints) {
  const fs::path folder = folder_.path() / "model";
  fs::create_directory(folder);
  write_file_atomically(folder / "config.json", R"({"model_type": "fnet", "hidden_size": 2, "intermediate_size": 2,
      "num_hidden_layers": 1, "vocab_size": 259, "max_position_embeddings": 64})");
  const auto tensor = [](std::initializer_list<int> shape, int begin, int end) {
    return Json{{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, end}}};
  };
  Json header = Json::object();
  int at = 0;
  const auto add = [&](const std::string& name, std::initializer_list<int> shape) {
    int bytes = 4;
    for (const int size : shape) bytes *= size;
    header[name] = tensor(shape, at, at + bytes);
    at += bytes;
  };
  add("fnet.words.weight", {259, 2});
  add("fnet.positions.weight", {64, 2});
  for (const char* part : {"mixing_norm", "output_norm"}) {
    add("fnet.layers.0." + std::string(part) + ".weight", {2});
    add("fnet.layers.0." + std::string(part) + ".bias", {2});
  }
  for (const char* part : {"in", "out"}) {
    add("fnet.layers.0." + std::string(part) + ".weight", {2, 2});
    add("fnet.layers.0." + std::string(part) + ".bias", {2});
  }
  const std::string text = header.dump();
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>((text.size() >> (8 * i)) & 0xFF);
  write_file_atomically(folder / "model.safetensors", file + text + std::string(static_cast<std::size_t>(at), '\0'));

  const ShellResult result = run("--model model --task embedding --sequence-length 16 --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_EQ(load().cases.at(0).effective.at("model").at("trained"), true);
  const ShellResult headless =
      run("--model model --task sequence_classification --sequence-length 16 --precision fp32");
  EXPECT_EQ(headless.exit_code, 1);
  EXPECT_THAT(headless.output, HasSubstr("classifier.weight"));
}

}  // namespace
}  // namespace transformeter
