// A /proc and /sys of a test's own, in a temporary folder that goes with the object.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "machine/system_files.h"

namespace transformeter {

class FixtureTree {
 public:
  FixtureTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "transformeter-host-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    root_ = pattern;
  }
  ~FixtureTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  FixtureTree(const FixtureTree&) = delete;
  FixtureTree& operator=(const FixtureTree&) = delete;

  FixtureTree& write(std::string_view relative, std::string_view content) {
    const std::filesystem::path path = root_ / std::filesystem::path(relative);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
    return *this;
  }
  SystemFiles files() const { return SystemFiles(root_); }

 private:
  std::filesystem::path root_;
};

// One processor of a Sapphire Rapids guest, its flags cut to those that matter here.
inline constexpr std::string_view kXeonCpuinfo =
    "processor\t: 0\n"
    "vendor_id\t: GenuineIntel\n"
    "cpu family\t: 6\n"
    "model\t\t: 143\n"
    "model name\t: Intel(R) Xeon(R) Platinum 8488C\n"
    "stepping\t: 8\n"
    "microcode\t: 0x2b000590\n"
    "cpu MHz\t\t: 2400.000\n"
    "flags\t\t: fpu vme avx f16c hypervisor fma avx2 avx512f avx512dq avx512bw avx512vl avx512_bf16 avx512_vnni "
    "amx_bf16 avx512_fp16 amx_tile amx_int8\n"
    "bugs\t\t: spectre_v1\n";

// AWS Graviton3.
inline constexpr std::string_view kNeoverseCpuinfo =
    "processor\t: 0\n"
    "BogoMIPS\t: 2100.00\n"
    "Features\t: fp asimd evtstrm aes asimdhp asimddp sve i8mm bf16\n"
    "CPU implementer\t: 0x41\n"
    "CPU architecture: 8\n"
    "CPU variant\t: 0x1\n"
    "CPU part\t: 0xd40\n"
    "CPU revision\t: 1\n";

}  // namespace transformeter
