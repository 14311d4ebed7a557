// `find-max` with the real worker, whose memory runs out.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FindMax : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }

  Json answer(const std::string& options, int exit_code = 0) const {
    const ShellResult result = shell("$T find-max --threads 1 --format json " + options);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    return Json::parse(result.output);
  }
};

TEST_F(FindMax, FindsWhereMemoryEnds) {
  const Json found = answer("--axis batch_size --model gpt2-test --sequence-length 128 --memory-limit 600MiB");
  EXPECT_EQ(found.at("resolved"), true) << found;
  const auto fits = found.at("fits").get<std::int64_t>();
  EXPECT_EQ(found.at("too_large"), fits + 1);
  EXPECT_THAT(found.at("why").get<std::string>(), HasSubstr("memory_limit"));
  for (const Json& trial : found.at("trials")) {
    EXPECT_EQ(trial.at("answer"), trial.at("value").get<std::int64_t>() <= fits ? "fits" : "too large");
    EXPECT_GT(trial.at("forecast_bytes").get<double>(), 0);
  }
  // It begins near: tensors of so many rows leave the worker little beside them.
  EXPECT_NEAR(found.at("trials").at(0).at("value").get<double>() / static_cast<double>(fits), 1, 0.5);
}

TEST_F(FindMax, EndsAtTheModelsPositions) {
  const Json found = answer("--axis sequence_length --model bert-test --batch-size 2");
  EXPECT_EQ(found.at("trials").at(0).at("value"), 128) << "where the forecast says that memory is not the limit";
  EXPECT_EQ(found.at("fits"), 128);
  EXPECT_EQ(found.at("too_large"), Json());
  EXPECT_EQ(found.at("resolved"), true);
  EXPECT_EQ(found.at("trials").size(), 2U) << "the first, and once more";
  EXPECT_EQ(answer("--axis prompt_length --scenario generate --model gpt2-test --new-tokens 4").at("fits"), 1020);
  EXPECT_EQ(answer("--axis batch_size --scenario train --model bert-test --largest 16").at("fits"), 16);
  EXPECT_EQ(answer("--axis batch_size --scenario train --model clip-test --largest 2").at("fits"), 2);
}

TEST_F(FindMax, SaysWhatToMeasure) {
  const ShellResult result = shell("$T find-max --axis sequence_length --model bert-test --batch-size 2 -o found.md");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(read_file_or_empty(folder_.path() / "found.md"),
              AllOf(HasSubstr("128"), HasSubstr("run --model bert-test --batch-size 2 --sequence-length 128")));
}

TEST_F(FindMax, NotEvenTheSmallestMayRun) {
  const Json none = answer("--axis batch_size --model gpt2 --sequence-length 64 --memory-limit 300MiB", 1);
  EXPECT_EQ(none.at("fits"), Json());
  EXPECT_EQ(none.at("too_large"), 1);
  EXPECT_EQ(none.at("resolved"), true);
}

TEST_F(FindMax, RefusesWhatIsNoQuestion) {
  const auto refused = [&](const std::string& options, const std::string& words) {
    const ShellResult result = shell("$T find-max " + options);
    EXPECT_EQ(result.exit_code, 3) << options;
    EXPECT_THAT(result.errors, HasSubstr(words));
    EXPECT_EQ(result.output, "");
  };
  refused("--axis batch_sizes", "Did you mean 'batch_size'?");
  refused("--axis batch_size --batch-size 4", "leave its value out");
  refused("--model bert-test,bert-tiny", "looks at one");
  refused("--axis prompt_length --model bert-test", "has no numeric prompt_length");
  refused("--axis batch_size --model bert-test --largest 0", "from 1 to 65536");
  refused("--axis batch_size --scenario train --model clip-test --largest 1", "from 2 to 65536");
  refused("--axis batch_size --model bert-test --sequence-length natural", "give --sequence-length N");
  refused("--axis prompt_length --model gpt2-test --scenario generate --new-tokens 1022",
          "more than the model's 1024 positions");
  refused("--axis sequence_length --model bert-test --data synthetic --length-distribution uniform:200:300",
          "length_distribution 'uniform:200:300'");
  refused("--model bert-test --store r.db", "--store");
  refused("--model bert-test --sequence-length 1024", "exceeds the 128 positions");
  refused("--model bert-test -o found.pdf", "found.pdf");
}

class FindMaxOfFaults : public CommandTest {};

TEST_F(FindMaxOfFaults, AFailedTrialLeavesItIndeterminate) {
  const ShellResult result = shell("$T find-max --axis batch_size --model bert-test --sequence-length 16 --format json",
                                   {{"faults", {{{"kind", "failed"}, {"at", "measure"}, {"reason", "no luck"}}}}});
  EXPECT_EQ(result.exit_code, 2) << result.errors;
  const Json found = Json::parse(result.output);
  EXPECT_EQ(found.at("resolved"), false);
  EXPECT_EQ(found.at("fits"), Json());
  EXPECT_THAT(found.at("why").get<std::string>(), HasSubstr("no luck"));
}

TEST_F(FindMaxOfFaults, AnInterruptLeavesWhatIsKnown) {
  const ShellResult result = shell(
      "$T find-max --model bert-test --sequence-length 16 --format json & pid=$!; "
      "until [ -e struck ] || ! kill -0 $pid; do sleep 0.05; done; kill -INT $pid; wait $pid",
      {{"faults", {{{"kind", "hang"}, {"at", "measure"}, {"once", "struck"}}}}});
  EXPECT_EQ(result.exit_code, 130) << result.errors;
  EXPECT_EQ(Json::parse(result.output).at("resolved"), false);
}

TEST_F(FindMaxOfFaults, ImagesEndWhereACycleHoldsNoMore) {
  const ShellResult result = shell("$T find-max --axis batch_size --model vit-base");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1783, the most inputs that a cycle may hold (1 GiB of pixels or samples)"));
  const ShellResult above = shell("$T find-max --axis batch_size --model vit-base --largest 1784");
  EXPECT_EQ(above.exit_code, 3);
  EXPECT_THAT(above.errors, HasSubstr("a whole number from 1 to 1783"));
}

}  // namespace
}  // namespace transformeter
