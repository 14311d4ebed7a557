// Fronts of points that can be checked by eye.
#include "analysis/pareto.h"

#include <gmock/gmock.h>

namespace transformeter {
namespace {

using testing::ElementsAre;

TEST(ParetoFront, HoldsWhatNoOtherPointBeats) {
  EXPECT_THAT(pareto_front({{1, 5}, {2, 2}, {5, 1}, {3, 3}, {2, 6}}), ElementsAre(true, true, true, false, false));
}

TEST(ParetoFront, KeepsEqualPointsAndDropsThoseThatAreBeatenInOne) {
  EXPECT_THAT(pareto_front({{1, 1}, {1, 1}, {1, 2}}), ElementsAre(true, true, false));
}

TEST(ParetoFront, OfOneCoordinateIsTheLowest) {
  EXPECT_THAT(pareto_front({{3}, {1}, {2}}), ElementsAre(false, true, false));
  EXPECT_TRUE(pareto_front({}).empty());
}

}  // namespace
}  // namespace transformeter
