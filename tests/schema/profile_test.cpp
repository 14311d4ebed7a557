// A profile comes back as it was sent, and what is no profile is refused.
#include "schema/profile.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "base/error.h"

namespace transformeter {
namespace {

Profile small_profile() {
  Profile profile;
  profile.nodes = {{.kind = ProfileNodeKind::kPass, .name = "forward pass", .calls = 2, .total_s = 1, .self_s = 0.25},
                   {.parent = 0,
                    .kind = ProfileNodeKind::kModule,
                    .name = "m.0",
                    .phase = ProfilePhase::kHead,
                    .calls = 2,
                    .total_s = 0.75,
                    .self_s = 0.75,
                    .flops = 1e9,
                    .bytes = 3,
                    .allocated_bytes = 4}};
  profile.passes = 2;
  profile.batches = 1;
  profile.unprofiled_s = {0.4, 0.5};
  profile.profiled_s = {0.5, 0.6};
  return profile;
}

TEST(Profile, ComesBackFromJsonAsItWas) {
  EXPECT_EQ(profile_from_json(to_json(small_profile())), small_profile());
  const ProfileOptions options{false, true, 7, "/tmp/t.json"};
  EXPECT_EQ(profile_options_from_json(to_json(options)), options);
  EXPECT_EQ(profile_options_from_json(to_json(ProfileOptions{})), ProfileOptions{});
}

TEST(Profile, SaysWhoseCountersItHas) {
  Profile profile = small_profile();
  profile.counted_by = "OpenVINO 2026.4.1";
  EXPECT_EQ(profile_from_json(to_json(profile)), profile);
  Json earlier = to_json(small_profile());
  earlier.erase("counted_by");
  EXPECT_EQ(profile_from_json(earlier), small_profile());
  Json bad = to_json(profile);
  bad["counted_by"] = std::string(kLongestProfileName + 1, 'x');
  EXPECT_THROW(profile_from_json(bad), Error);
  bad["counted_by"] = 7;
  EXPECT_THROW(profile_from_json(bad), Json::exception);
}

Profile profile_with_memory() {
  Profile profile = small_profile();
  profile.memory = ProfileMemory{.peak_bytes = 30,
                                 .peak_s = 0.25,
                                 .earlier_bytes = 10,
                                 .held = {{1, 2, 20}},
                                 .timeline = {{0, 10, 0}, {0.25, 30, 20}, {0.5, 10, 0}},
                                 .stages = {{ProfileStage::kBackward, 0.1, 0.4}}};
  return profile;
}

TEST(Profile, MemoryComesBackOrIsRefused) {
  EXPECT_EQ(profile_from_json(to_json(profile_with_memory())), profile_with_memory());
  Json earlier = to_json(profile_with_memory());
  earlier.erase("memory");
  EXPECT_EQ(profile_from_json(earlier), small_profile());
  earlier = to_json(profile_with_memory());
  for (Json& point : earlier["memory"]["timeline"]) point.erase(2);
  EXPECT_EQ(profile_from_json(earlier).memory->timeline, profile_with_memory().memory->timeline);
  const std::vector<std::function<void(Json&)>> faults{
      [](Json& memory) { memory["peak_bytes"] = -1; },
      [](Json& memory) { memory["held"][0]["node"] = 2; },
      [](Json& memory) { memory["held"][0]["blocks"] = 0; },
      [](Json& memory) {
        memory["held"] = Json::array({memory["held"][0], memory["held"][0], memory["held"][0]});
      },
      [](Json& memory) { memory["stages"][0]["stage"] = "head"; },
      [](Json& memory) { memory["stages"][0]["end_s"] = 0.05; },
      [](Json& memory) { memory["timeline"] = Json::array(); },
      [](Json& memory) {
        memory["timeline"] = Json{{0, 10, 0}};
      },
      [](Json& memory) {
        memory["timeline"] = Json{{0, 10, 0}, {0, 10, 0}};
      },
      [](Json& memory) {
        memory["timeline"] = Json{{0, 10, 0}, {0.5, 30, 0}, {0.4, 10, 0}};
      },
      [](Json& memory) { memory["earlier_bytes"] = 31; },
      [](Json& memory) { memory["timeline"][1][2] = 31; },
      [](Json& memory) {
        memory["timeline"] = Json(kMostMemoryPoints + 1, Json{0, 1, 0});
      },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Json json = to_json(profile_with_memory());
    faults[i](json["memory"]);
    EXPECT_THROW(profile_from_json(json), Error) << i;
  }
}

TEST(Profile, TheGpuComesBackOrIsRefused) {
  Profile profile = small_profile();
  profile.nodes[1].host_s = 0.1;
  profile.gpu = ProfileGpu{{{1, "gemm_kernel<float>", 4, 0.75}}};
  EXPECT_EQ(profile_from_json(to_json(profile)), profile);
  Json earlier = to_json(profile);
  earlier.erase("gpu");
  earlier["nodes"][1].erase("host_s");
  EXPECT_EQ(profile_from_json(earlier), small_profile()) << "of a worker that knows nothing of it";
  const std::vector<std::function<void(Json&)>> faults{
      [](Json& json) { json["nodes"][1]["host_s"] = -1; },
      [](Json& json) { json["gpu"]["kernels"][0]["node"] = 2; },
      [](Json& json) { json["gpu"]["kernels"][0]["calls"] = 0; },
      [](Json& json) { json["gpu"]["kernels"][0]["time_s"] = -1; },
      [](Json& json) { json["gpu"]["kernels"][0]["name"] = std::string(kLongestProfileName + 1, 'x'); },
      [](Json& json) { json["gpu"]["kernels"] = Json(kMostProfileKernels + 1, json["gpu"]["kernels"][0]); },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Json json = to_json(profile);
    faults[i](json);
    EXPECT_THROW(profile_from_json(json), Error) << i;
  }
}

TEST(Profile, CountersComeBackOrAreRefused) {
  Profile profile = small_profile();
  profile.counters = {{.name = std::string(event_name::kCycles), .value = 3e9, .scaled_share = 0.5},
                      {.name = std::string(event_name::kBranches), .reason = "the virtual machine hides it"}};
  EXPECT_EQ(profile_from_json(to_json(profile)), profile);
  Json earlier = to_json(profile);
  earlier.erase("counters");
  EXPECT_EQ(profile_from_json(earlier), small_profile()) << "of a worker that counts nothing";
  Json bad = to_json(profile);
  bad["counters"][0]["value"] = -1;
  EXPECT_THROW(profile_from_json(bad), Error);
}

TEST(Profile, NamesEachPhase) {
  for (const ProfilePhaseName& known : kProfilePhaseNames) {
    EXPECT_EQ(name_of(known.phase), known.name);
    EXPECT_EQ(profile_phase_from_name(known.name), known.phase);
  }
  EXPECT_EQ(profile_phase_from_name("backward"), std::nullopt);
}

TEST(Profile, NamesEachStage) {
  for (const ProfileStageName& known : kProfileStageNames) {
    EXPECT_EQ(name_of(known.stage), known.name);
    EXPECT_EQ(profile_stage_from_name(known.name), known.stage);
  }
  EXPECT_EQ(profile_stage_from_name("head"), std::nullopt);
  Profile profile = small_profile();
  profile.nodes[1].kind = ProfileNodeKind::kStage;
  profile.nodes[1].name = "backward";
  EXPECT_EQ(profile_from_json(to_json(profile)), profile);
}

TEST(Profile, RefusesWhatIsNone) {
  const std::vector<std::function<void(Json&)>> faults{
      [](Json& json) { json["nodes"] = Json::array(); },
      [](Json& json) { json["nodes"] = 3; },
      [](Json& json) { json["nodes"][1]["parent"] = 1; },
      [](Json& json) { json["nodes"][1]["parent"] = -1; },
      [](Json& json) { json["nodes"][1]["kind"] = "pass"; },
      [](Json& json) { json["nodes"][0]["kind"] = "module"; },
      [](Json& json) { json["nodes"][1]["kind"] = "kernel"; },
      [](Json& json) { json["nodes"][1]["phase"] = "backward"; },
      [](Json& json) { json["nodes"][1]["kind"] = "stage"; },
      [](Json& json) { json["nodes"][1]["self_s"] = -1e-9; },
      [](Json& json) { json["nodes"][1]["calls"] = 1.5; },
      [](Json& json) { json["nodes"][1]["name"] = std::string(kLongestProfileName + 1, 'x'); },
      [](Json& json) { json["passes"] = 0; },
      [](Json& json) { json["streams"] = 0; },
      [](Json& json) { json["unprofiled_s"] = Json::array(); },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Json json = to_json(small_profile());
    faults[i](json);
    EXPECT_THROW(profile_from_json(json), Error) << i;
  }
  Json many = to_json(small_profile());
  for (std::size_t i = 0; i < kMostProfileNodes; ++i) many["nodes"].push_back(many["nodes"][1]);
  EXPECT_THROW(profile_from_json(many), Error);
  Json missing = to_json(small_profile());
  missing.erase("passes");
  EXPECT_THROW(profile_from_json(missing), Json::exception);
}

}  // namespace
}  // namespace transformeter
