// transformeter-fake-worker --connect ADDRESS: a worker without a model, for tests of everything around one.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "fake_worker/behaviour.h"
#include "fake_worker/session.h"
#include "schema/status.h"

namespace transformeter {
namespace {

int serve(std::string_view address) {
  try {
    const char* text = std::getenv(kFakeWorkerVariable);
    const Json behaviour = text == nullptr ? Json::object() : parse_json(kFakeWorkerVariable, text);
    serve_fake_session(connect_channel(address), behaviour);
    return kExitOk;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    const auto* known = dynamic_cast<const Error*>(&error);
    return known != nullptr && known->kind() == ErrorKind::kBadInput ? kExitBadInput : kExitFault;
  }
}

}  // namespace
}  // namespace transformeter

int main(int argument_count, char** arguments) {
  if (argument_count == 3 && std::string_view(arguments[1]) == "--connect") return transformeter::serve(arguments[2]);
  fmt::print(stderr, "usage: {} --connect fd:N|unix:PATH|tcp:HOST:PORT\n", arguments[0]);
  fmt::print(stderr, "{} holds the behaviour as JSON, see tests/fake_worker/behaviour.h\n",
             transformeter::kFakeWorkerVariable);
  return transformeter::kExitBadInput;
}
