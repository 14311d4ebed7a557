// A command's way to the model hub, and its progress line.
#pragma once

#include <atomic>
#include <cstdio>
#include <string>

#include "base/clock.h"
#include "base/context.h"
#include "hub/fetch.h"
#include "hub/hub_api.h"
#include "hub/hub_cache.h"
#include "hub/resolve_model.h"
#include "run/data_location.h"
#include "run/plan.h"

namespace transformeter {

/// Asks as the environment says; stops when `interrupt`, which must outlive it, is set. Throws Error(kBadInput) for an
/// environment that cannot be used.
class HubConnection {
 public:
  explicit HubConnection(const std::atomic<bool>& interrupt);

  HubApi& api() { return api_; }
  const HubCache& cache() const { return cache_; }

 private:
  HttpClient http_;
  HubApi api_;
  HubCache cache_;
};

/// How far a transfer is, drawn over itself on a terminal at most ten times a second; nothing elsewhere.
class TransferLine {
 public:
  TransferLine(const Clock& clock, std::FILE* stream);
  ~TransferLine();
  TransferLine(const TransferLine&) = delete;
  TransferLine& operator=(const TransferLine&) = delete;

  void draw(const FetchProgress& progress);

 private:
  const Clock& clock_;
  std::FILE* stream_;
  Clock::TimePoint started_;
  Clock::TimePoint drawn_;
  std::uint64_t first_bytes_ = 0;  // there before: they count for no speed
  bool is_drawn_ = false;
};

/// "[###.........] 1/4 model.safetensors  64 MiB of 256 MiB  12 MiB/s"; `speed` in bytes per second, 0: unknown.
std::string transfer_text(const FetchProgress& progress, double speed);

/// resolve_model for a --model that is neither a preset nor there as a file or folder; nothing when its form is not
/// that of a model on the hub. Tells stderr what it fetches.
std::optional<ResolvedModel> resolve_hub_model(const Context& context, const std::atomic<bool>& interrupt,
                                               const std::string& model, ModelParts parts);

/// "org/name@COMMIT" for such a model, whose files are in the cache then; any other name as it is.
std::string pinned_hub_model(const Context& context, const std::atomic<bool>& interrupt, const std::string& model);

/// "org/name/PATH@COMMIT" for a --data of the hub (run/data_location.h), whose files of the split are in the cache
/// then; any other as it is. Tells stderr what it fetches. Throws Error(kBadInput) for what is neither here nor on the
/// hub.
std::string pinned_hub_data(const Context& context, const std::atomic<bool>& interrupt, const std::string& data,
                            const std::string& split);

/// A --data with its pinned name and the files that it stands for.
struct FoundData {
  std::string name;
  DataLocation place;
};

/// pinned_hub_data and locate_data.
FoundData find_data(const Context& context, const std::atomic<bool>& interrupt, const std::string& data,
                    const std::string& split);

/// Pins a plan's models and data sets.
void pin_hub_names(const Context& context, const std::atomic<bool>& interrupt, Plan& plan);

}  // namespace transformeter
