// Workers that are absent, and what a description is turned into.
#include "doctor/software.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

class DoctorSoftware : public testing::Test {
 protected:
  TemporaryFolder folder_;
  SystemClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, folder_.path(), folder_.path()};
  std::atomic<bool> interrupt_{false};
};

TEST_F(DoctorSoftware, AMissingWorkerIsAProblemWithAdvice) {
  const Checks all = check_worker(context_, "/nowhere/worker", interrupt_);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].level, CheckLevel::kProblem);
  EXPECT_THAT(all[0].state, HasSubstr("/nowhere/worker"));
  EXPECT_THAT(all[0].advice, HasSubstr("make programs"));
}

TEST_F(DoctorSoftware, AWorkerThatDiesIsAProblemWithItsOwnWords) {
  const auto script = folder_.write("worker", "#!/bin/sh\necho 'libtorch_cpu.so: not found'\nexit 127\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Checks all = check_worker(context_, script.string(), interrupt_);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].level, CheckLevel::kProblem);
  EXPECT_THAT(all[0].state, HasSubstr("libtorch_cpu.so: not found"));
  EXPECT_THAT(all[0].advice, HasSubstr("ldd"));
}

TEST_F(DoctorSoftware, ADescriptionIsShownWithVersionsAndAbilities) {
  Described described;
  described.build = {{"libtorch", "2.15.0"}, {"onednn", "3.13.3"}};
  described.capabilities.values = {{"precision", {"fp32", "bf16"}}, {"device", {"cpu"}}};
  described.capabilities.native = {{"precision", {"fp32"}}};
  const Checks all = check_description("w", described);
  EXPECT_THAT(all[0].state, HasSubstr("LibTorch 2.15.0, oneDNN 3.13.3, instruction set unknown"));
  EXPECT_THAT(all[1].state, HasSubstr("precisions: fp32, bf16 (native: fp32)"));
}

TEST_F(DoctorSoftware, AProgramOfOneFormatIsNoLimitButNamesItsPackage) {
  const Checks all = check_libraries("/nowhere");
  EXPECT_EQ(all[2].level, CheckLevel::kOk);
  EXPECT_THAT(all[2].state, HasSubstr("apt-get install weasyprint"));
  EXPECT_EQ(all[3].level, CheckLevel::kOk);
  EXPECT_THAT(all[3].state, HasSubstr("apt-get install pandoc"));
}

TEST_F(DoctorSoftware, GnuplotIsLookedForInTheSearchPath) {
  EXPECT_THAT(check_libraries(folder_.path().string())[1].advice, HasSubstr("gnuplot-nox"));
  std::filesystem::permissions(folder_.write("gnuplot", ""), std::filesystem::perms::owner_all);
  EXPECT_EQ(check_libraries("/nowhere:" + folder_.path().string())[1].level, CheckLevel::kOk);
  EXPECT_THAT(check_libraries("").front().state, HasSubstr("fmt "));
}

}  // namespace
}  // namespace transformeter
