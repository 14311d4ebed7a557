// The real command against a hub of our own.
#pragma once

#include <string>

#include "cli/shell.h"
#include "support/hub_server.h"

namespace transformeter {

class HubCommandTest : public CommandTest {
 protected:
  /// `more`: further variables, as "HF_TOKEN=hf_secret".
  ShellResult hub(const std::string& script, const std::string& more = "") const {
    return shell(
        "unset HF_TOKEN HF_HUB_CACHE HF_HUB_OFFLINE TRANSFORMERS_OFFLINE HF_TOKEN_PATH\nexport HF_HOME=$PWD/hf "
        "HF_ENDPOINT=" +
        server_.endpoint() + " " + more + "\n" + script);
  }

  HubServer server_;
};

}  // namespace transformeter
