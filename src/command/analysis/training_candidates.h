// The training cases of several runs by workload, and the sets of cases that differ in only one setting.
#pragma once

#include <string>
#include <vector>

#include "analysis/training_recommendation.h"

namespace transformeter {

/// A case that was tried. Borrows its run.
struct Candidate {
  std::string id;  // "RUN CASE"
  const AnalyzedCase* the_case = nullptr;
  std::string machine;       // fingerprint of its host
  std::string machine_name;  // for people
  std::string why_unusable;  // it failed, is invalid, or has no throughput; else empty

  /// The value of the setting; of device with its machine. Empty without one.
  std::string option(const std::string& setting) const;
  /// Settings but `setting` in which both differ, "machine" with them; machine and its threads belong to the device.
  std::vector<std::string> differences_from(const Candidate& other, const std::string& setting) const;
};

struct CandidateGroup {
  std::string model;
  std::string task;
  std::string data;
  std::string content;  // see WorkloadKeys
  std::vector<Candidate> candidates;
  std::vector<std::string> left_out;  // "RUN CASE: why": pending, or measured twice
};

/// By task and the content of model and data, in the order of their first cases. Of a case that was measured in several
/// runs on one machine the first that can be used counts.
std::vector<CandidateGroup> candidate_groups(const std::vector<AnalyzedRun>& runs);

/// Sets of two or more values, compared by the figure that most of their cases have; options in the order of the
/// candidates. Learning rates are compared by loss_convergence_rate, optimizers by it ÷ latency rather than by speed,
/// all else by useful tokens, or examples, per second. Devices of several machines are compared at the number of
/// threads that is fastest on each.
std::vector<ComparedSet> compared_sets(const std::vector<Candidate>& candidates, const std::string& setting);

}  // namespace transformeter
