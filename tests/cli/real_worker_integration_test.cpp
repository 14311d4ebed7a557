// The real command with the real worker: what a user runs, on small models and real data.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/shell.h"
#include "metrics/case_metrics.h"
#include "schema/product_choice.h"
#include "support/shared_data.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class RealWorker : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }

  ShellResult run(const std::string& flags, const std::string& samples = "12",
                  const std::string& environment = "") const {
    return shell(environment + " $T run --store r.db --samples " + samples + " " + flags);
  }

  // A copy of a tiny reference model that a test may damage.
  fs::path tiny_copy() const {
    const fs::path copy = folder_.path() / "tiny";
    fs::copy(source_directory() / "tests/data/models/tiny-distilbert-classifier", copy);
    return copy;
  }
};

const Series* latency_of(const CaseRecord& the_case) {
  return find_series(the_case.replicates.at(0).series, "latency");
}

TEST_F(RealWorker, StoresSamplesSettingsAndWhatRan) {
  const ShellResult result =
      run("--model bert-tiny --batch-size 1,4 --sequence-length 32,natural --limit 20 --precision fp32 "
          "--attention sdpa,eager");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, HasSubstr("seeded random"));
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 8U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(one.key.size(), 64U);
    EXPECT_EQ(one.workload_key.size(), 64U);
    const std::string kernel = one.effective.at("attention_kernel");
    EXPECT_EQ(kernel == "eager", one.requested.at("attention") == "eager") << kernel;
    EXPECT_EQ(one.effective.at("model").at("trained"), false);
    EXPECT_GT(one.effective.at("memory_limit").get<double>(), 1e8) << "auto is a limit too";
    EXPECT_EQ(one.effective.at("workload").at("data").at("sha256").get<std::string>().size(), 64u);
    ASSERT_NE(latency_of(one), nullptr);
    EXPECT_GE(latency_of(one)->value.size(), 12U);
  }
  EXPECT_TRUE(stored.host.contains("cpu"));
}

TEST_F(RealWorker, MeasuresBlankTextsAndCountsThoseOfTheCycle) {
  folder_.write("texts.csv", "text,label\ngood,1\n ,0\nbad,0\n\"\",1\n");
  const ShellResult result = run("--model bert-tiny --data " + (folder_.path() / "texts.csv").string() +
                                 " --batch-size 2 --sequence-length natural --limit 4,3 --task "
                                 "embedding,sequence_classification --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    const std::size_t measured = one.effective.at("data").at("examples");
    const int blank = one.effective.at("data").value("blank_texts", 0);
    EXPECT_GE(blank, measured == 4 ? 2 : 1);
    EXPECT_LE(blank, 2);
  }
  EXPECT_THAT(result.output, HasSubstr("blank_texts"));
}

TEST_F(RealWorker, NamesWhatADeviceThatIsNotHereLacks) {
  const ShellResult alone =
      run("--model bert-tiny --batch-size 1 --sequence-length 16 --precision fp32 --device rocm,mps");
  EXPECT_EQ(alone.exit_code, 1) << "no case has a value";
  RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) EXPECT_EQ(one.status, Status::kUnsupported) << one.status_reason;
  EXPECT_THAT(stored.cases[0].status_reason, HasSubstr("AMD"));

  // CUDA's own library says that there is no GPU, also on a machine that has one.
  const ShellResult both =
      run("--model bert-tiny --batch-size 1 --sequence-length 16 --precision fp32 --device cpu,cuda --name both", "12",
          "CUDA_VISIBLE_DEVICES=");
  EXPECT_EQ(both.exit_code, 0) << both.errors << both.output;
  EXPECT_THAT(both.output, HasSubstr("unsupported"));
}

TEST_F(RealWorker, SaysWhyChoicesOfKernelsAreNotKept) {
  ASSERT_EQ(run("--model bert-tiny --batch-size 2 --sequence-length 16 --precision fp32 --engine fast --reference off",
                "12", "XDG_CACHE_HOME=/proc")
                .exit_code,
            0);
  const RunRecord stored = load();
  const Json& effective = stored.cases.at(0).effective;
  const Json& trials = effective.at("linear_trials");
  if (std::any_of(trials.begin(), trials.end(), [](const Json& one) { return one.at("steady").get<bool>(); })) {
    EXPECT_THAT(effective.at("trials_not_kept").get<std::string>(), HasSubstr("/proc/transformeter/products"));
  }
  EXPECT_THAT(shell("XDG_CACHE_HOME=/proc $T doctor").output, HasSubstr("/proc is not writable: "));
}

// Whether times were steady is the machine's business; what was is not tried again.
TEST_F(RealWorker, KeepsWhichKernelsAreFastForTheNextProcess) {
  const std::string flags =
      "--model bert-tiny --batch-size 2 --sequence-length 16 --precision fp32 --engine fast --reference off "
      "--products ";
  const auto trials = [&](const char* products) {
    fs::remove(folder_.path() / "r.db");
    EXPECT_EQ(run(flags + products).exit_code, 0);
    std::map<ProductSize, Json> by_size;
    const RunRecord stored = load();
    for (const Json& one : stored.cases.at(0).effective.at("linear_trials")) {
      by_size[one.get<ProductChoice>().size] = one;
    }
    return by_size;
  };
  const auto first = trials("auto");
  const auto second = trials("auto");
  ASSERT_FALSE(first.empty());
  ASSERT_EQ(first.size(), second.size());
  std::size_t steady = 0;
  for (const auto& [size, one] : first) {
    const Json& next = second.at(size);
    EXPECT_EQ(one.at("kept"), false);
    EXPECT_EQ(next.at("kept"), one.at("steady")) << next;
    if (one.at("steady") == true) {
      EXPECT_EQ(next.at("tried_at"), one.at("tried_at"));
    }
    steady += one.at("steady") == true || next.at("steady") == true ? 1 : 0;
  }
  const Json doctor = Json::parse(shell("$T doctor --products --format json").output);
  EXPECT_EQ(doctor.at("products").size(), steady);
  EXPECT_EQ(shell("$T doctor --products").output.find("none tried yet") != std::string::npos, steady == 0);
  for (const auto& [size, one] : trials("trial")) EXPECT_EQ(one.at("kept"), false);
}

// A driver and a plug-in of known answers, in place of NVIDIA's: the whole path to a device that the CPU computes for.
TEST_F(RealWorker, RunsOnTheGpuThatAPluginGives) {
  fs::create_symlink(TRANSFORMETER_FAKE_CUDA, folder_.path() / "libcuda.so.1");
  const std::string fakes =
      "LD_LIBRARY_PATH=" + folder_.path().string() + " TRANSFORMETER_CUDA_PLUGIN=" + TRANSFORMETER_FAKE_PLUGIN;
  const ShellResult result = run(
      "--model bert-tiny --batch-size 1 --sequence-length 16 --precision fp32,int8 --engine pytorch,fast", "12", fakes);
  EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 4U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.requested.at("device"), "cuda:0") << "auto is the best device";
    const bool is_int8 = one.requested.at("precision") == "int8";
    EXPECT_EQ(one.status, is_int8 ? Status::kUnsupported : Status::kOk) << one.status_reason;
    if (is_int8) continue;
    EXPECT_EQ(one.effective.at("device"), "cuda:0");
    EXPECT_EQ(one.effective.at("device_facts").at("name"), "Fake H100");
    EXPECT_EQ(one.requested.at("weights"), "plain");
    EXPECT_EQ(one.requested.at("streams"), 1);
  }
}

TEST_F(RealWorker, MeasuresAllTextsAtOnceOnTheGpuThatAPluginGives) {
  fs::create_symlink(TRANSFORMETER_FAKE_CUDA, folder_.path() / "libcuda.so.1");
  const ShellResult result = run(
      "--scenario offline --model bert-tiny --limit 20 --batch-size 4 --precision fp32 --transfers off,on --slices 2",
      "4", "LD_LIBRARY_PATH=" + folder_.path().string() + " TRANSFORMETER_CUDA_PLUGIN=" + TRANSFORMETER_FAKE_PLUGIN);
  EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    const std::vector<Series>& series = one.replicates.at(0).series;
    ASSERT_NE(find_series(series, "device_time"), nullptr);
    EXPECT_EQ(find_series(series, "device_time")->value.size(), latency_of(one)->value.size());
    EXPECT_EQ(latency_of(one)->value.size(), 5U) << "the first pass over a batch, and four over all";
    for (const char* const part : {"launch_time", "host_to_device", "device_to_host", "back_to_back"}) {
      EXPECT_EQ(find_series(series, part), nullptr) << part << " is no unit's";
    }
  }
}

TEST_F(RealWorker, RefusesAPluginOfAnotherLibTorch) {
  fs::create_symlink(TRANSFORMETER_FAKE_CUDA, folder_.path() / "libcuda.so.1");
  const ShellResult result =
      run("--model bert-tiny --batch-size 1 --sequence-length 16 --precision fp32 --device cuda", "12",
          "LD_LIBRARY_PATH=" + folder_.path().string() + " TRANSFORMETER_CUDA_PLUGIN=" + TRANSFORMETER_FAKE_OLD_PLUGIN);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("2.11.0"));
}

TEST_F(RealWorker, ScoresATrainedModelOnNaturalLengthsOnly) {
  const fs::path model = tiny_copy();
  folder_.write("data.tsv", "sentence\tlabel\nthe film was very good .\t1\nthis plot is not funny !\t0\n");
  const ShellResult result =
      run("--model " + model.string() + " --data data.tsv --batch-size 2 --sequence-length 8,natural --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  for (const CaseRecord& one : load().cases) {
    const Series* evaluated = find_series(one.replicates.at(0).series, "evaluated");
    const bool natural = one.requested.at("sequence_length") == "natural";
    ASSERT_EQ(evaluated != nullptr, natural);
    if (natural) {
      EXPECT_EQ(evaluated->value.at(0), 2);
      const std::vector<Series>& series = one.replicates.at(0).series;
      ASSERT_NE(find_series(series, "predicted_class"), nullptr);
      EXPECT_EQ(find_series(series, "true_class")->value, (std::vector<double>{1, 0})) << "the data set's order";
      EXPECT_EQ(find_series(series, "predicted_class")->value.size(), 2u);
      const std::vector<double>& losses = find_series(series, "log_loss")->value;
      ASSERT_EQ(losses.size(), 2U);
      const std::vector<double>& predicted = find_series(series, "predicted_class")->value;
      // Of two classes the predicted one has more than half of the probability.
      for (std::size_t i = 0; i < 2; ++i) {
        const bool is_right = predicted[i] == (i == 0 ? 1 : 0);
        EXPECT_EQ(losses[i] < std::log(2.0), is_right) << losses[i];
        EXPECT_GT(losses[i], 0);
      }
    }
  }
}

TEST_F(RealWorker, MeasuresAllTextsAtOnceUnderEachBatching) {
  const ShellResult result =
      run("--scenario offline --model bert-tiny --limit 20 --batch-size 4 --precision fp32 --batching "
          "padded,bucketed,packed "
          "--baseline batching=padded --replicates 1",
          "9");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, HasSubstr("sample/s"));
  EXPECT_THAT(result.output, Not(HasSubstr("latency  ")));
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 3U) << "lengths are natural, whatever the default";
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(one.requested.at("sequence_length"), "natural");
    EXPECT_EQ(one.effective.at("cycle_examples"), 20);
    EXPECT_GT(one.effective.at("cycle_batches").get<int>(), 1);
    EXPECT_EQ(latency_of(one)->examples.back(), 20);
    EXPECT_EQ(one.key.size(), 64U);
  }

  const ShellResult both = run(
      "--scenario batch,offline --model bert-tiny --limit 20 --batch-size 4 --precision fp32 --sequence-length natural "
      "--baseline scenario=batch --replicates 1 --name both",
      "9");
  ASSERT_EQ(both.exit_code, 0) << both.errors << both.output;
  EXPECT_THAT(both.output, Not(HasSubstr("no matching baseline case"))) << "the same texts under one key";
  EXPECT_THAT(both.output, HasSubstr("pass"));

  const ShellResult fixed = run("--scenario offline --model bert-tiny --sequence-length 16 --batch-size 4");
  EXPECT_EQ(fixed.exit_code, 3);
  EXPECT_THAT(fixed.errors, HasSubstr("sequence_length only applies to scenarios batch and train"));
}

// 16 texts of 10 to 17 tokens, two of each length, in rows of 32.
TEST_F(RealWorker, MeasuresDrawnLengthsInRowsOfAFixedLength) {
  const std::string flags =
      "--model bert-tiny --data synthetic --limit 16 --sequence-length 32 --length-distribution uniform:10:17 "
      "--precision fp32 ";
  const ShellResult result = run(flags + "--batch-size 4,8 --batching padded,packed");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 4U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    const Json& cycle = one.effective.at("cycle");
    EXPECT_EQ(cycle.at("batches"), one.requested.at("batch_size") == 4 ? 4 : 2);
    EXPECT_EQ(cycle.at("useful_tokens"), 2 * (10 + 11 + 12 + 13 + 14 + 15 + 16 + 17));
    EXPECT_EQ(cycle.at("processed_tokens"), 16 * 32);
    EXPECT_EQ(cycle.at("longest_sequence"), 32);
    const bool is_packed = one.requested.at("batching") == "packed";
    EXPECT_EQ(one.effective.at("attention_mask"), is_packed ? "not_needed" : "on");
    const std::vector<MetricRow> metrics = analyze_case(one).metrics;
    EXPECT_TRUE(find_metric(metrics, "divergence", "")->value) << "compared with the same texts";
    if (is_packed) continue;
    EXPECT_DOUBLE_EQ(find_metric(metrics, "padding_share", "ratio")->value.value(), 1 - 216.0 / 512);
  }
  const ShellResult padding = run(flags + "--batch-size 4 --padding 0.5");
  EXPECT_EQ(padding.exit_code, 3);
  EXPECT_THAT(padding.errors, HasSubstr("padding '0.5'"));
}

TEST_F(RealWorker, MeasuresRealSentencesWithTheirTrueSizes) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const ShellResult result = run("--model bert-tiny --data " + (shared_data() / "sst2/dev.tsv").string() +
                                     " --batch-size 64 --sequence-length natural --precision fp32",
                                 "84");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  const Series* latency = latency_of(stored.cases.at(0));
  ASSERT_NE(latency, nullptr);
  std::int64_t cycle_examples = 0;
  for (std::size_t i = 0, seen = 0; i < latency->value.size() && seen < 14; ++i) {
    if ((latency->flags.at(i) & kSampleWarmup) != 0) continue;
    cycle_examples += latency->examples.at(i);
    ++seen;
  }
  EXPECT_EQ(cycle_examples, 872) << "13 batches of 64 and one of 40";
}

TEST_F(RealWorker, AMissingTensorFailsThatModelAndNoOther) {
  const fs::path model = tiny_copy();
  std::string bytes = read_file(model / "model.safetensors");
  bytes.replace(bytes.find("layer.0.ffn.lin1.weight"), 23, "layer.0.ffn.linX.weight");
  write_file_atomically(model / "model.safetensors", bytes);
  const ShellResult result =
      run("--model bert-tiny," + model.string() + " --batch-size 1 --sequence-length 16 --precision fp32");
  EXPECT_EQ(result.exit_code == 1 || result.exit_code == 3, true) << result.exit_code;
  EXPECT_THAT(result.output + result.errors, HasSubstr("layer.0.ffn.lin1.weight"));
}

TEST_F(RealWorker, ALengthBeyondThePositionTableIsAnAnswer) {
  const ShellResult result = run("--model bert-tiny --batch-size 1 --sequence-length 16,1024 --precision fp32");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("unsupported_shape"));
}

TEST_F(RealWorker, ACaseOverItsMemoryLimitIsOutOfMemory) {
  const ShellResult result =
      run("--model bert-base --batch-size 1 --sequence-length 16 --precision fp32 --memory-limit 256MiB");
  EXPECT_EQ(result.exit_code, 1) << "no case is ok";
  EXPECT_EQ(load().cases.at(0).status, Status::kOutOfMemory) << load().cases.at(0).status_reason;
}

}  // namespace
}  // namespace transformeter
