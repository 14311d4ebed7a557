// What a worker says of its own families.
#include "spec/foreign_architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::ElementsAre;

Json described(const Json& tasks) {
  return {{"family", "fnet"}, {"tasks", tasks}, {"presets", Json::array()}};
}

TEST(ForeignArchitecture, HasTheHeadsOfTheTasksDescribed) {
  const Architecture architecture = foreign_architecture(described({"embedding", "sequence_classification"}));
  EXPECT_THAT(architecture.heads, ElementsAre(HeadKind::kNone, HeadKind::kSequenceClasses));
  // All that such a head can answer.
  EXPECT_EQ(described_architecture(architecture),
            described({"embedding", "sequence_classification", "multi_label_classification", "regression"}));
}

TEST(ForeignArchitecture, OfAnUnknownTaskIsAFaultOfTheProtocol) {
  for (const Json& tasks : {Json::array({"poetry"}), Json::array({1}), Json("embedding")}) {
    try {
      foreign_architecture(described(tasks));
      ADD_FAILURE() << "accepted " << tasks;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kProtocol) << tasks;
    }
  }
}

}  // namespace
}  // namespace transformeter
