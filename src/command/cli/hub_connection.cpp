// The progress line is drawn as that of a run.
#include "cli/hub_connection.h"

#include <fmt/format.h>

#include "base/units.h"
#include "cli/run_progress.h"
#include "cli/terminal.h"
#include "report/display_text.h"
#include "spec/presets.h"

namespace transformeter {
namespace {

HttpSettings http_settings(const std::atomic<bool>& interrupt) {
  HttpSettings settings;
  settings.interrupt = &interrupt;
  return settings;
}

}  // namespace

HubConnection::HubConnection(const std::atomic<bool>& interrupt)
    : http_(http_settings(interrupt)), api_(http_, hub_options()), cache_(api_.options().cache) {}

TransferLine::TransferLine(const Clock& clock, std::FILE* stream)
    : clock_(clock), stream_(stream), started_(clock.now()), drawn_(started_) {}

TransferLine::~TransferLine() {
  if (!is_drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
}

void TransferLine::draw(const FetchProgress& progress) {
  const Clock::TimePoint now = clock_.now();
  if (!is_drawn_) first_bytes_ = progress.done_bytes;
  if (is_drawn_ && now - drawn_ < std::chrono::milliseconds(100)) return;
  const Terminal terminal = terminal_at(stream_);
  if (!terminal.is_terminal) return;
  const double elapsed = Seconds(now - started_).count();
  const double bytes = static_cast<double>(progress.done_bytes) - static_cast<double>(first_bytes_);
  const std::string line = transfer_text(progress, elapsed > 0.5 ? bytes / elapsed : 0);
  fmt::print(stream_, "\r{}\x1b[K", cut_to_columns(line, terminal.width > 1 ? terminal.width - 1 : 1));
  std::fflush(stream_);
  is_drawn_ = true;
  drawn_ = now;
}

std::string transfer_text(const FetchProgress& progress, double speed) {
  const auto done = static_cast<double>(progress.done_bytes);
  const auto total = static_cast<double>(progress.total_bytes);
  std::string line =
      fmt::format("{} {}/{} {}  {} of {}", bar_text(progress.done_bytes, progress.total_bytes), progress.number,
                  progress.count, one_line(progress.file), format_bytes(done), format_bytes(total));
  if (speed > 0) line += fmt::format("  {}/s", format_bytes(speed));
  return line;
}

std::optional<ResolvedModel> resolve_hub_model(const Context& context, const std::atomic<bool>& interrupt,
                                               const std::string& model, ModelParts parts) {
  if (is_preset(model)) return std::nullopt;
  const auto reference = parse_model_reference(model);
  if (!reference) return std::nullopt;
  HubConnection hub(interrupt);
  TransferLine line(context.clock, stderr);
  return resolve_model(hub.api(), *reference, parts, context.log,
                       [&](const FetchProgress& progress) { line.draw(progress); });
}

std::string pinned_hub_model(const Context& context, const std::atomic<bool>& interrupt, const std::string& model) {
  const auto resolved = resolve_hub_model(context, interrupt, model, ModelParts::kAll);
  return resolved ? parse_model_reference(model)->pinned(resolved->commit) : model;
}

}  // namespace transformeter
