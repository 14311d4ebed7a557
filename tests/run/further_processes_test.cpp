// Whom the next processes are for.
#include "run/further_processes.h"

#include <gmock/gmock.h>

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PlannedCase measured(const std::string& id, std::size_t processes, Status last = Status::kOk) {
  PlannedCase planned;
  planned.record.id = id;
  planned.record.status = last;
  for (std::size_t i = 0; i < processes; ++i) planned.record.replicates.emplace_back().index = static_cast<int>(i);
  if (processes > 0) planned.record.replicates.back().status = last;
  return planned;
}

TEST(AskedFor, AreCasesThatRanAndMayHaveMore) {
  std::vector<PlannedCase> cases;
  cases.push_back(measured("c01", 1));
  cases.push_back(measured("c02", 3));
  cases.push_back(measured("c03", kMaxReplicates));
  cases.push_back(measured("c04", 2, Status::kFailed));
  cases.push_back(measured("c05", 0));
  EXPECT_THAT(asked_for(cases, {"c02", "c03", "c04", "c05", "c09"}), ElementsAre(1));
  EXPECT_THAT(asked_for(cases, {}), IsEmpty());
}

TEST(WidestOfRun, IsTheWidestThenTheLeastMeasured) {
  std::vector<PlannedCase> cases;
  cases.push_back(measured("c01", 3));
  cases.push_back(measured("c02", 2));
  cases.push_back(measured("c03", 2, Status::kFailed));
  EXPECT_EQ(widest_of_run(cases, {{0, 0.02}, {1, 0.01}, {2, 0.5}}), 0U);
  EXPECT_EQ(widest_of_run(cases, {{0, 0.02}, {1, 0.02}}), 1U);
  EXPECT_EQ(widest_of_run(cases, {{0, 0.02}}), 1U) << "nothing is known of it";
  cases.front() = measured("c01", kMaxReplicates);
  EXPECT_EQ(widest_of_run(cases, {{0, 0.9}, {1, 0.01}}), 1U);
  EXPECT_FALSE(widest_of_run({}, {}));
}

}  // namespace
}  // namespace transformeter
