// The rule that turns the results of a run's cases into its exit code.
#include "schema/status.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(ExitCode, OfAnswersIsOkWhereOneOfThemIsAResult) {
  const Status answers[] = {Status::kOutOfMemory, Status::kImpliedOutOfMemory, Status::kUnsupportedShape,
                            Status::kUnsupported};
  EXPECT_EQ(exit_code({Status::kOk}, true), kExitOk);
  for (const Status answer : answers) {
    EXPECT_EQ(exit_code({answer}, false), kExitFault) << name_of(answer) << ": no case has a result";
    EXPECT_EQ(exit_code({answer, Status::kOk}, false), kExitOk) << name_of(answer);
    EXPECT_EQ(exit_code({answer, Status::kOk}, true), kExitFault) << name_of(answer) << " with --strict";
  }
  EXPECT_EQ(exit_code({}, false), kExitFault) << "all cases are pending";
}

TEST(ExitCode, OfAFaultIsOneWhateverElseIsOk) {
  for (const Status fault : {Status::kTimeout, Status::kCrashed, Status::kFailed}) {
    EXPECT_EQ(exit_code({Status::kOk, fault}, false), kExitFault) << name_of(fault);
  }
  EXPECT_EQ(exit_code({Status::kOk, Status::kFailed, Status::kInterrupted}, false), kExitInterrupted);
}

}  // namespace
}  // namespace transformeter
