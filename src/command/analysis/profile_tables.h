// A profile as tables: operators, modules and phases, each with what it took in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "schema/profile.h"

namespace transformeter {

/// Of one pass. The self times of a table's rows add up to the pass, but for modules that are shown without all inside
/// them.
struct ProfileRow {
  std::string name;
  double calls = 0;
  double total_s = 0;
  double self_s = 0;
  double backward_s = 0;  // of the self time, in the stage of that name
  double decode_s = 0;    // likewise
  double flops = 0;
  double bytes = 0;
  double allocated_bytes = 0;
  double host_s = 0;  // of its own on the host, with a GPU alone
};

/// A module with all that it contains; its self time is what no module inside it takes.
struct ProfileModule {
  ProfileRow row;
  std::size_t depth = 0;  // parts of its name, or of that of a module around it with nothing else inside
};

/// Names of rows that are not operators.
inline constexpr const char* kOutsideOperators = "(outside operators)";
inline constexpr const char* kIdleStreams = "(idle streams)";
inline constexpr const char* kIdleGpu = "(idle GPU)";
/// And of those outside of modules, and of phases and of stages without any.
inline constexpr const char* kOutsideModules = "(outside modules)";
inline constexpr const char* kOtherPhase = "other";

/// Seconds of one pass, by the profiler's clock: the root's total.
double pass_s(const Profile& profile);
/// Of the sum of all self times, as a share of the latency that was measured around the same passes.
double self_time_ratio(const Profile& profile);
/// Seconds of one pass in which the GPU computed; nothing without one.
std::optional<double> gpu_busy_s(const Profile& profile);
/// Median latency with the profiler ÷ without it.
double slow_down_ratio(const Profile& profile);
/// Mean ÷ median of passes with the profiler, where a few slow ones raise the mean and with it all tables; nothing
/// where they do not, or where passes may differ by their work: in several `batches`, or steps of texts of natural
/// lengths.
std::optional<double> slow_pass_ratio(const std::vector<double>& profiled_s, std::int64_t batches,
                                      const Json& requested);

/// By name, the longest self time first. Within an operator of the same name only the outer one has a total.
std::vector<ProfileRow> operator_rows(const Profile& profile);
/// In the order of the pass, with the modules around them that have no scope of their own.
std::vector<ProfileModule> module_rows(const Profile& profile);
/// Rows of modules by their own names, with numbers of layers as "*"; the longest self time first.
std::vector<ProfileRow> merged_rows(const std::vector<ProfileRow>& modules);
/// The same of all modules.
std::vector<ProfileRow> merged_module_rows(const Profile& profile);
/// In the order of a pass or a step, what has no phase last; a step's data and optimizer count as phases.
std::vector<ProfileRow> phase_rows(const Profile& profile);
/// In the order of a step or a request; of forward passes nothing.
std::vector<ProfileRow> stage_rows(const Profile& profile);

/// By name, the longest first, with times and calls alone; nothing without a GPU.
std::vector<ProfileRow> kernel_rows(const Profile& profile);

/// Calls in one pass: "6"; "4.50" where passes differ.
std::string calls_number(double calls);
/// "1 call", "6 calls".
std::string calls_text(double calls);

/// "a.0.b" to "a.*.b".
std::string merged_name(const std::string& module);
/// The module of each node: the innermost that it is, or lies in; empty: none.
std::vector<std::string> modules_of_nodes(const Profile& profile);
/// Likewise the stage of a training step or a request.
std::vector<std::optional<ProfileStage>> stages_of_nodes(const Profile& profile);
/// How many parts the name of a layer has, found by its number: 4 of "distilbert.transformer.layer.0"; nothing where no
/// module is numbered.
std::optional<std::size_t> layer_depth(const Profile& profile);

}  // namespace transformeter
