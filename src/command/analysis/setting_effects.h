// What one setting is worth, from pairs of measured cases that differ in nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "metrics/quads.h"

namespace transformeter {

/// Another figure of both cases, which a reader weighs against the speed.
struct BesideFigure {
  MetricRow better;  // both with values
  MetricRow other;
};

struct SettingEffect {
  std::string setting;  // "batch_size"
  std::string better;   // its value in the better case: "8"
  std::string other;    // "1"
  const AnalyzedCase* better_case = nullptr;
  const AnalyzedCase* other_case = nullptr;
  std::string quantity;     // "samples per second" of batch sizes, else "speed" for equal work
  Quotient gain;            // above 1, with its interval
  double level = 0.95;      // of the interval
  std::string compared_by;  // "replicates", "quads", "processes"
  std::size_t pairs = 0;    // with the better value on one side, of which this gain is the largest
  std::vector<BesideFigure> beside;
};

struct EffectCase {
  const AnalyzedCase* one = nullptr;
  const RunRecord* run = nullptr;
};

struct SettingEffects {
  std::vector<SettingEffect> told_apart;  // the largest first, one for each setting and better value
  std::size_t pairs = 0;                  // that differ in one setting
};

/// Pairs of one run, so that the machine and the programs were the same. A pair counts where `compare` would call one
/// case faster: the whole interval beyond 1, the gain beyond the noise threshold, and no doubtful case but by quads.
/// Batch sizes, which are other work, are compared by samples per second, with intervals over replicates.
SettingEffects setting_effects(const std::vector<EffectCase>& cases);

}  // namespace transformeter
