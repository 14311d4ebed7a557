// Statements and names; operations on values are in jinja_operations.cpp.
#include "tokenizers/jinja_renderer.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "base/error.h"
#include "tokenizers/jinja_operations.h"

namespace transformeter::jinja {
namespace {

using Node = Expression::Kind;

constexpr int kMaxSteps = 200'000;
constexpr std::size_t kMaxOutput = std::size_t{64} << 20;

class Renderer {
 public:
  Renderer(const Value& variables, const std::string& where) : variables_(variables), where_(where), scopes_(1) {}

  std::string run(const Template& parsed) {
    run_body(parsed.body);
    return std::move(output_);
  }

 private:
  Error bad(int line, const std::string& message) const {
    return Error(ErrorKind::kBadInput, fmt::format("{}: line {}: {}", where_, line, message));
  }

  void run_body(const std::vector<Statement>& body) {
    for (const Statement& statement : body) {
      step(statement.line);
      run_statement(statement);
      if (output_.size() > kMaxOutput) throw bad(statement.line, "the template produces more than 64 MiB");
    }
  }
  void step(int line) {
    if (++steps_ > kMaxSteps) throw bad(line, fmt::format("the template takes more than {} steps", kMaxSteps));
  }

  void run_statement(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::kData:
        output_ += statement.text;
        break;
      case Statement::Kind::kOutput:
        output_ += guarded(statement.line, [&] { return to_text(evaluate(statement.expression)); });
        break;
      case Statement::Kind::kSet:
        scopes_.back()[statement.text] = evaluate(statement.expression);
        break;
      case Statement::Kind::kIf:
        run_body(is_true(evaluate(statement.expression)) ? statement.body : statement.otherwise);
        break;
      case Statement::Kind::kFor:
        run_for(statement);
        break;
    }
  }

  void run_for(const Statement& statement) {
    const Value list = evaluate(statement.expression);
    if (!list.is_array()) throw bad(statement.line, fmt::format("'for' needs a list, not {}", kind_of(list)));
    std::vector<Value> items;
    for (const Value& item : list) {
      scopes_.push_back({{statement.text, item}});
      if (statement.filter.empty() || is_true(evaluate(statement.filter.front()))) items.push_back(item);
      scopes_.pop_back();
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      Value loop = {{"index", i + 1},
                    {"index0", i},
                    {"first", i == 0},
                    {"last", i + 1 == items.size()},
                    {"length", items.size()}};
      scopes_.push_back({{statement.text, items[i]}, {"loop", std::move(loop)}});
      run_body(statement.body);
      scopes_.pop_back();
    }
  }

  Value find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    }
    const auto found = variables_.find(name);
    return found == variables_.end() ? undefined() : *found;
  }

  // Operations know no lines: their errors get the line here.
  template <typename Operation>
  auto guarded(int line, Operation&& operation) -> decltype(operation()) {
    try {
      return operation();
    } catch (const OperationError& error) {
      throw bad(line, error.what());
    }
  }

  Value evaluate(const Expression& expression) {
    step(expression.line);
    switch (expression.kind) {
      case Node::kLiteral:
        return expression.value;
      case Node::kName:
        return find(expression.text);
      case Node::kCondition:
        return evaluate(expression.children[is_true(evaluate(expression.children[0])) ? 1 : 2]);
      case Node::kBinary:
        if (expression.text == "and" || expression.text == "or") return evaluate_logic(expression);
        break;
      case Node::kCall:
        raise(expression);
      default:
        break;
    }
    std::vector<Value> values;
    for (const Expression& child : expression.children) values.push_back(evaluate(child));
    return guarded(expression.line, [&] { return operate(expression.kind, expression.text, values); });
  }

  // As in Python the value that decides, not its truth.
  Value evaluate_logic(const Expression& expression) {
    Value left = evaluate(expression.children[0]);
    return is_true(left) == (expression.text == "and") ? evaluate(expression.children[1]) : left;
  }

  [[noreturn]] void raise(const Expression& expression) {
    const std::string message = expression.children.empty() ? "" : to_text(evaluate(expression.children[0]));
    throw bad(expression.line, fmt::format("the template rejects the conversation: {}", message));
  }

  const Value& variables_;
  const std::string& where_;
  std::vector<std::map<std::string, Value>> scopes_;  // of the template, then of each open loop
  std::string output_;
  int steps_ = 0;
};

}  // namespace

std::string render(const Template& parsed, const Value& variables, const std::string& where) {
  return Renderer(variables, where).run(parsed);
}

}  // namespace transformeter::jinja
