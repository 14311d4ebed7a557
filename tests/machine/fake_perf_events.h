// Events of a machine that a test describes: which can be opened, and what they count.
#pragma once

#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine/perf_events.h"

namespace transformeter {

class FakePerfEvents final : public PerfEvents {
 public:
  std::map<std::string, int> errors;                              // by event: the errno of opening it
  std::map<pid_t, int> thread_errors;                             // by thread
  std::map<std::pair<std::string, pid_t>, PerfReading> readings;  // of an event in a thread; others read 1,000 of 1 ms
  std::set<std::string> silent;                                   // events that cannot be read
  std::size_t most_open = 1'000'000;                              // further ones fail with EMFILE
  std::vector<std::string> calls;                                 // "start cycles 7", "stop cycles 7": of thread 7
  std::map<std::string, int> openings;                            // by event, in all threads
  std::set<int> running;

  int open(const PerfEvent& event, pid_t thread) override {
    if (const auto refused = errors.find(std::string(event.name)); refused != errors.end()) return -refused->second;
    if (const auto refused = thread_errors.find(thread); refused != thread_errors.end()) return -refused->second;
    if (open_.size() >= most_open) return -EMFILE;
    ++openings[std::string(event.name)];
    opened_.push_back({std::string(event.name), thread});
    open_.insert(static_cast<int>(opened_.size()) - 1);
    return static_cast<int>(opened_.size()) - 1;
  }
  void start(int descriptor) override {
    calls.push_back("start " + told(descriptor));
    running.insert(descriptor);
  }
  void stop(int descriptor) override {
    calls.push_back("stop " + told(descriptor));
    running.erase(descriptor);
  }
  std::optional<PerfReading> read(int descriptor) override {
    if (silent.contains(opened(descriptor).first)) return std::nullopt;
    const auto known = readings.find(opened(descriptor));
    return known == readings.end() ? PerfReading{1000, 1'000'000, 1'000'000} : known->second;
  }
  void close(int descriptor) override { open_.erase(descriptor); }

  std::size_t open_count() const { return open_.size(); }

 private:
  const std::pair<std::string, pid_t>& opened(int descriptor) const {
    return opened_.at(static_cast<std::size_t>(descriptor));
  }
  std::string told(int descriptor) const {
    return opened(descriptor).first + " " + std::to_string(opened(descriptor).second);
  }

  std::vector<std::pair<std::string, pid_t>> opened_;
  std::set<int> open_;
};

}  // namespace transformeter
