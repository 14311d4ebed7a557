// Libraries that are, and are not, a plug-in for this worker.
#include "device/plugin_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/headeronly/version.h>

#include "base/error.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string why_not(const std::filesystem::path& library) {
  std::string reason;
  EXPECT_EQ(open_plugin<PluginEntry>(kCudaPlugin, library, reason), nullptr);
  return reason;
}

TEST(PluginLoader, OpensOneOfThisLibTorch) {
  EXPECT_EQ(plugin_libtorch(TRANSFORMETER_FAKE_PLUGIN), TORCH_VERSION);
  std::string reason;
  DevicePlugin* const plugin = open_plugin<PluginEntry>(kCudaPlugin, TRANSFORMETER_FAKE_PLUGIN, reason);
  ASSERT_NE(plugin, nullptr) << reason;
  const auto device = plugin->make(1);
  EXPECT_EQ(device->name(), "cuda:1");
  EXPECT_EQ(device->facts().at("name"), "Fake H100");
  const auto timer = device->make_timer();
  ASSERT_NE(timer, nullptr);
  timer->start();
  timer->stop();
  EXPECT_GE(timer->elapsed_s(), 0);
  try {
    plugin->make(99);
    FAIL() << "it has no such GPU";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment) << "an error of ours from another library is one of ours";
  }
}

TEST(PluginLoader, RefusesAnotherLibTorchByBothVersions) {
  EXPECT_THAT(why_not(TRANSFORMETER_FAKE_OLD_PLUGIN), AllOf(HasSubstr("2.11.0"), HasSubstr(TORCH_VERSION)));
}

TEST(PluginLoader, RefusesOneOfAnotherInterface) {
  PluginKind later = kCudaPlugin;
  later.entry = "transformeter_device_plugin_9";
  std::string reason;
  EXPECT_EQ(open_plugin<PluginEntry>(later, TRANSFORMETER_FAKE_PLUGIN, reason), nullptr);
  EXPECT_THAT(reason, AllOf(HasSubstr("is of another version (it has no transformeter_device_plugin_9)"),
                            HasSubstr("rebuild both")));
}

TEST(PluginLoader, SaysWhatAFileLacks) {
  TemporaryFolder folder;
  EXPECT_THAT(why_not(folder.path() / "none.so"), HasSubstr("does not exist"));
  EXPECT_EQ(plugin_libtorch(folder.path() / "none.so"), std::nullopt) << "what cannot be read ends no worker";
  EXPECT_THAT(why_not(folder.write("garbage.so", "not a library")), HasSubstr("unknown version"));
  const std::string marked = std::string("x") + TRANSFORMETER_PLUGIN_MARK + TORCH_VERSION;
  EXPECT_THAT(why_not(folder.write("cut.so", marked)), HasSubstr("cannot load the CUDA plug-in"));
}

// The plug-in that is built here; without a GPU's libraries it opens nowhere, but its mark is right.
TEST(PluginLoader, TheBuiltPluginIsForThisLibTorch) {
  const std::filesystem::path built = binary_directory() / "bin/libtransformeter_cuda.so";
  if (!std::filesystem::exists(built)) GTEST_SKIP() << "no CUDA plug-in in this build";
  EXPECT_EQ(plugin_libtorch(built), TORCH_VERSION);
}

}  // namespace
}  // namespace transformeter
