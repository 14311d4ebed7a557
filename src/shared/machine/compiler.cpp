// The macros are those g++ 12 and clang 14 share; their own manuals list them.
#include "machine/compiler.h"

namespace transformeter {
namespace {

std::string compiler_version() {
#if defined(__clang__)
  return __clang_version__;
#else
  return __VERSION__;
#endif
}

Json instruction_sets() {
  Json features = Json::array();
#if defined(__AVX2__)
  features.push_back("avx2");
#endif
#if defined(__FMA__)
  features.push_back("fma");
#endif
#if defined(__AVX512F__)
  features.push_back("avx512f");
#endif
#if defined(__ARM_NEON)
  features.push_back("asimd");
#endif
#if defined(__ARM_FEATURE_SVE)
  features.push_back("sve");
#endif
  return features;
}

Json sanitizers() {
  Json names = Json::array();
#if defined(__SANITIZE_ADDRESS__)
  names.push_back("address");
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  names.push_back("address");
#endif
#endif
  return names;
}

}  // namespace

Json describe_compiler() {
#if defined(__clang__)
  constexpr const char* kId = "clang";
#else
  constexpr const char* kId = "gcc";
#endif
#if defined(__OPTIMIZE__)
  constexpr bool kOptimized = true;
#else
  constexpr bool kOptimized = false;
#endif
#if defined(NDEBUG)
  constexpr bool kAssertions = false;
#else
  constexpr bool kAssertions = true;
#endif
  return {{"id", kId},
          {"version", compiler_version()},
          {"cplusplus", __cplusplus},
          {"optimized", kOptimized},
          {"assertions", kAssertions},
          {"features", instruction_sets()},
          {"sanitizers", sanitizers()}};
}

std::string built_for_architecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "other";
#endif
}

}  // namespace transformeter
