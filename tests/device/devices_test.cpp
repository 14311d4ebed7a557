// What the worker says of devices that this machine may lack.
#include "device/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/device.h"

namespace transformeter {
namespace {

TEST(DevicesHere, HasTheCpuLastAndAReasonForEachOther) {
  const DeviceList& here = devices_here();
  ASSERT_FALSE(here.names.empty());
  EXPECT_EQ(here.names.back(), "cpu");
  EXPECT_NE(here.why_not.at("rocm"), "");
  EXPECT_NE(here.why_not.at("mps"), "");
  if (here.names.size() == 1) {
    EXPECT_NE(here.why_not.at("cuda"), "");
  }
}

TEST(MakeDevice, RefusesWhatIsNotHereAndSaysWhy) {
  EXPECT_EQ(make_device("cpu")->name(), "cpu");
  try {
    make_device("rocm");
    FAIL() << "there is no such device";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("device 'rocm'"), testing::HasSubstr("AMD")));
  }
}

}  // namespace
}  // namespace transformeter
