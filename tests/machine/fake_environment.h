// Environment variables for the length of a test.
#pragma once

#include <cstdlib>
#include <string>

namespace transformeter {

class FakeEnvironment {
 public:
  FakeEnvironment(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~FakeEnvironment() { ::unsetenv(name_); }
  FakeEnvironment(const FakeEnvironment&) = delete;
  FakeEnvironment& operator=(const FakeEnvironment&) = delete;

 private:
  const char* name_;
};

}  // namespace transformeter
