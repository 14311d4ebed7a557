// Places as the launch writes them, others, and what a library that starts threads sees.
#include "engine/pinned_processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

class PinnedProcessors : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("OMP_PLACES"); }
};

TEST_F(PinnedProcessors, AreTheFirstPlacesOfTheLaunch) {
  ::setenv("OMP_PLACES", "{4},{0},{12}", 1);
  EXPECT_EQ(pinned_processors(3), (std::vector<int>{4, 0, 12}));
  EXPECT_EQ(pinned_processors(1), (std::vector<int>{4}));
}

TEST_F(PinnedProcessors, RefuseTooFewAndOtherPlaces) {
  for (const char* places : {"", "cores", "{0}", "{0},{1:2}", "{0},{-1}", "{0},{99999}", "0,1"}) {
    SCOPED_TRACE(places);
    ::setenv("OMP_PLACES", places, 1);
    EXPECT_THROW(pinned_processors(2), Error);
  }
  ::unsetenv("OMP_PLACES");
  EXPECT_THROW(pinned_processors(1), Error);
}

TEST_F(PinnedProcessors, AreOpenedForALibraryAndClosedAfterwards) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &all)) processors.push_back(i);
  }
  if (processors.size() < 2) GTEST_SKIP() << "one processor";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processors.front(), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  cpu_set_t now;
  {
    const AllProcessors open(processors);
    ::sched_getaffinity(0, sizeof now, &now);
    EXPECT_TRUE(CPU_EQUAL(&now, &all));
  }
  ::sched_getaffinity(0, sizeof now, &now);
  EXPECT_TRUE(CPU_EQUAL(&now, &one));
  {
    const AllProcessors nothing({});
    ::sched_getaffinity(0, sizeof now, &now);
    EXPECT_TRUE(CPU_EQUAL(&now, &one));
  }
  ::sched_setaffinity(0, sizeof all, &all);
}

}  // namespace
}  // namespace transformeter
