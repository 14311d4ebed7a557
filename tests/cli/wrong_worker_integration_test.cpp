// Workers that answer wrongly and as fast as the right one: the comparison of outputs must find each of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "cli/shell.h"
#include "metrics/case_metrics.h"
#include "support/source_tree.h"
#include "support/wav_file.h"

namespace transformeter {
namespace {

// One program for the cache of references, whichever worker it starts: the right one makes the reference.
const std::string kWorkerSwitch =
    "printf '#!/bin/sh\\nexec \"$WORKER\" \"$@\"\\n' >w; chmod +x w; rm -f r.db; "
    "$T run --store r.db --worker ./w --samples 1 --warmup 1 --threads 1 ";

const std::string kNatural = "--batch-size 8 --sequence-length natural --limit 32 ";

bool is_invalid_for(const char* reason, const CaseRecord& one) {
  const Verdict verdict = analyze_case(one).verdict;
  return verdict.level == VerdictLevel::kInvalid &&
         std::any_of(verdict.reasons.begin(), verdict.reasons.end(),
                     [&](const Finding& finding) { return finding.name == reason; });
}

MetricRow row(const CaseRecord& one, const char* name) {
  const CaseAnalysis analysis = analyze_case(one);
  const MetricRow* found = find_metric(analysis.metrics, name, "");
  return found == nullptr ? MetricRow{} : *found;
}

class WrongWorker : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }

  std::vector<CaseRecord> run(const std::string& worker, const std::string& fault, const std::string& flags) const {
    std::string script = "export TRANSFORMETER_FAULT=" + fault + " WORKER='";
    script.append((binary_directory() / "bin" / worker).string()).append("'; ").append(kWorkerSwitch).append(flags);
    const ShellResult result = shell(script);
    EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
    return load().cases;
  }

  void expect_caught(const std::string& flags, const std::vector<std::string>& faults,
                     const char* reason = "numerics") const {
    for (const CaseRecord& one : run("transformeter-worker", "none", flags)) {
      ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
      EXPECT_FALSE(is_invalid_for("numerics", one)) << name_of(one);
      EXPECT_FALSE(is_invalid_for("wrong_precision", one)) << name_of(one) << one.effective.at("linear_types");
    }
    for (const std::string& fault : faults) {
      for (const CaseRecord& one : run("transformeter-wrong-worker", fault, flags)) {
        ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
        EXPECT_TRUE(is_invalid_for(reason, one)) << fault << " in " << name_of(one);
      }
    }
  }

  static std::string name_of(const CaseRecord& one) {
    return one.requested.at("precision").get<std::string>() + " " + one.requested.at("engine").get<std::string>() + " ";
  }
};

TEST_F(WrongWorker, IsCaughtInEveryPrecision) {
  expect_caught(kNatural + "--model bert-tiny --seed 1 --precision fp32,bf16,int8,int8_static,int8_weight_only",
                {"constant", "rolled", "unmasked", "no_attention"});
}

TEST_F(WrongWorker, OfACausalModelIsCaught) {
  // No mask is not among them: a token of a causal model sees no padding, which comes after it.
  expect_caught(kNatural + "--model llama-test --task causal_lm --seed 1 --precision fp32,int8",
                {"constant", "rolled", "no_attention"});
}

TEST_F(WrongWorker, OfOneRowABatchIsCaught) {
  expect_caught("--model bert-tiny --seed 1 --precision bf16 --batch-size 1 --sequence-length 16",
                {"constant", "rolled", "no_attention"});
}

// In batches whose reference had them one by one.
TEST_F(WrongWorker, OfSoundsOfSeveralLengthsIsCaught) {
  std::string table = "path\n";
  for (int i = 0; i < 16; ++i) {
    const std::string name = std::to_string(i) + ".wav";
    folder_.write(name, wav_file(static_cast<std::uint32_t>(480 + 200 * i), 16'000, i + 1));
    table += name + "\n";
  }
  folder_.write("t.csv", table);
  expect_caught("--model '" + (source_directory() / "tests/data/models/tiny-wav2vec2-stable").string() +
                    "' --task audio_classification --data t.csv --batch-size 8 --precision fp32",
                {"constant", "rolled", "unmasked", "no_attention"});
}

// Outputs in a wider format than asked for are better ones, so that no comparison tells.
TEST_F(WrongWorker, ThatMultipliesInFp32IsCaught) {
  expect_caught(kNatural +
                    "--model bert-tiny --seed 1 --engine pytorch,fast "
                    "--precision bf16,int8,int8_static,int8_weight_only",
                {"fp32_products", "some_fp32_products"}, "wrong_precision");
}

TEST_F(WrongWorker, ThatMultipliesInFp32IsCaughtWhileItGeneratesText) {
  expect_caught(
      "--scenario generate --model llama-test --prompt-length 24 --new-tokens 3 --engine pytorch,fast "
      "--precision bf16,int8,int8_weight_only",
      {"fp32_products", "some_fp32_products"}, "wrong_precision");
}

TEST_F(WrongWorker, ThatGeneratesIsCaught) {
  const std::string flags = "--model '" + (source_directory() / "tests/data/models/tiny-llama").string() +
                            "' --task causal_lm --scenario generate --prompt-length 16 --new-tokens 3 --precision ";
  for (const CaseRecord& one : run("transformeter-worker", "none", flags + "fp32")) {
    EXPECT_EQ(row(one, "divergence").n, 32U) << "more prompts than are measured";
    EXPECT_LT(row(one, "divergence").value.value(), 1e-5);
    EXPECT_EQ(row(one, "top1_agreement").n, 64U) << "after each prompt as first and as later token";
    EXPECT_EQ(row(one, "top1_agreement").value, 1);
  }
  expect_caught(flags + "fp32,bf16,int8,int8_static,int8_weight_only",
                {"constant", "rolled", "no_attention", "forgetful"});
}

TEST_F(WrongWorker, ThatTrainsIsCaught) {
  const std::string flags =
      "--model bert-tiny --scenario train --seed 1 --batch-size 8 --sequence-length natural --limit 40 --precision ";
  for (const CaseRecord& one : run("transformeter-worker", "none", flags + "fp32")) {
    EXPECT_EQ(row(one, "divergence").n, 40U);
    EXPECT_LT(row(one, "divergence").value.value(), 1e-5);
    EXPECT_FALSE(row(one, "top1_agreement").value) << "a loss is no class";
  }
  expect_caught(flags + "fp32,bf16,bf16_autocast", {"constant", "rolled", "unmasked", "no_attention"});
}

}  // namespace
}  // namespace transformeter
