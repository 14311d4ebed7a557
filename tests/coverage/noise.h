// How fast a shared machine is, second by second: made-up moods and recorded ones. A batch that starts at some moment
// ends when the machine has done its work.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/random.h"

namespace transformeter {

/// Slowdowns multiply. All zero: a quiet machine.
struct NoiseModel {
  std::string name;
  double wander = 0;                    // deviation of each of three Ornstein-Uhlenbeck processes of 0.5, 5 and 50 s
  double level = 0;                     // a second level is slower by this share; each lasts 10 s on average
  double burst_mean_s = 0;              // of bursts in which others take the processor; 1.6 to 2 times as slow
  double burst_share = 0.35;            // of the time
  std::vector<double> recorded_s = {};  // times of equal batches that ran one after the other, played in a circle
};

NoiseModel quiet_machine();
/// Quiet, two wanders, levels, three kinds of bursts.
std::vector<NoiseModel> made_up_machines();
/// The files of tests/coverage/data, in the order of their names.
std::vector<NoiseModel> recorded_machines();

/// A machine from a random moment on.
class Machine {
 public:
  /// `quantile` in [0, 1) chooses the moment, so that many machines can be spread evenly over all of them.
  Machine(const NoiseModel& model, RandomStream& random, double quantile);

  /// Runs a batch that takes `batch_s` on a quiet machine; the seconds that it took. Where the noise is made up, single
  /// samples have a lognormal jitter of 1.5 %, and one in a hundred takes 1.1 to 2 times as long.
  double run(double batch_s) { return work(batch_s * jitter()); }
  /// The seconds that so much work of a quiet machine takes.
  double work(double quiet_s);
  /// Of the next sample; 1 where the noise is recorded, which holds it already.
  double jitter();
  double now_s() const { return now_s_; }

 private:
  void step();

  const NoiseModel& model_;
  RandomStream& random_;
  double now_s_ = 0;
  double left_s_ = 0;  // of the present step
  double slowdown_ = 1;
  double usual_s_ = 1;  // median of the recorded times
  std::vector<double> wander_;
  bool is_slow_level_ = false;
  bool is_burst_ = false;
  double burst_slowdown_ = 1;
  std::size_t place_ = 0;  // in the recorded times
};

/// The median time of batches that run one after the other for ever.
double true_median_s(const NoiseModel& model, double batch_s, RandomStream& random);

}  // namespace transformeter
