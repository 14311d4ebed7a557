// Where `run PLAN` looks.
#include "run/find_plan.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "run/plan.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsSupersetOf;

std::filesystem::path share() {
  return source_directory() / "share";
}

TEST(FindPlan, AFileWinsOverABundledPlan) {
  const TemporaryFolder folder;
  const auto file = folder.write("padding-sweep", "seed: 1\n");
  EXPECT_EQ(find_plan(share(), file.string()), file);
  EXPECT_EQ(find_plan(share(), "none.yaml"), "none.yaml") << "whoever reads it says that it is missing";
  EXPECT_EQ(find_plan(share(), "padding-sweep"), share() / "plans/padding-sweep.yaml");
}

TEST(FindPlan, AnUnknownNameIsAnsweredWithTheBundledOnes) {
  try {
    find_plan(share(), "paddingsweep");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("'paddingsweep'"), HasSubstr("gpu-goals, gpu-latency, gpu-padding, padding-sweep"),
                      HasSubstr("Did you mean 'padding-sweep'?")));
  }
  EXPECT_TRUE(bundled_plans("/no/such/folder").empty());
}

TEST(FindPlan, EveryBundledPlanIsAPlanOrAPipeline) {
  EXPECT_THAT(bundled_plans(share()), IsSupersetOf({"gpu-goals", "gpu-padding", "padding-sweep", "qwen-intents"}));
  for (const std::string& name : bundled_plans(share())) {
    Plan plan;
    try {
      plan.apply_file(find_plan(share(), name));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("use `transformeter pipeline`")) << name;
    }
  }
}

}  // namespace
}  // namespace transformeter
