// Recursive descent with Jinja2's precedences; depth is bounded, since templates come with downloaded models.
#include "tokenizers/jinja_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "tokenizers/jinja_lexer.h"

namespace transformeter::jinja {
namespace {

using Kind = Token::Kind;
using Node = Expression::Kind;

constexpr int kMaxDepth = 100;
constexpr int kMaxHeight = 400;

class Parser {
 public:
  Parser(std::vector<Token> tokens, const std::string& where) : tokens_(std::move(tokens)), where_(where) {}

  Template parse() {
    Template result;
    const std::string end = parse_body(result.body, {});
    if (!end.empty()) throw bad(fmt::format("'{}' has no matching start", end));
    return result;
  }

 private:
  const Token& now() const { return tokens_[position_]; }
  Token take() { return tokens_[position_ + 1 < tokens_.size() ? position_++ : position_]; }
  Error bad(const std::string& message) const {
    return Error(ErrorKind::kBadInput, fmt::format("{}: line {}: {}", where_, now().line, message));
  }
  bool is_operator(std::string_view text) const { return now().kind == Kind::kOperator && now().text == text; }
  bool is_word(std::string_view text) const { return now().kind == Kind::kName && now().text == text; }
  bool accept(std::string_view text) {
    const bool found = is_operator(text) || is_word(text);
    if (found) take();
    return found;
  }
  void expect(std::string_view text) {
    if (!accept(text)) throw bad(fmt::format("expected '{}', not '{}'", text, now().text));
  }
  std::string expect_name() {
    if (now().kind != Kind::kName) throw bad(fmt::format("expected a name, not '{}'", now().text));
    return take().text;
  }
  void expect_end() {
    if (now().kind != Kind::kEnd) throw bad(fmt::format("'{}' is not supported here", now().text));
    take();
  }

  class Depth {
   public:
    explicit Depth(Parser& parser) : depth_(parser.depth_) {
      if (++depth_ > kMaxDepth) throw parser.bad(fmt::format("nested deeper than {}", kMaxDepth));
    }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    int& depth_;
  };

  // Up to a statement named in `ends`, whose name it returns with its tokens still to be read; empty at the end.
  std::string parse_body(std::vector<Statement>& body, const std::vector<std::string>& ends) {
    const Depth depth(*this);
    while (now().kind != Kind::kEndOfTemplate) {
      Statement statement;
      statement.line = now().line;
      const Token token = take();
      if (token.kind == Kind::kData) {
        statement.text = token.text;
      } else if (token.kind == Kind::kBeginOutput) {
        statement.kind = Statement::Kind::kOutput;
        statement.expression = parse_expression();
        expect_end();
      } else {
        std::string name = expect_name();
        if (std::find(ends.begin(), ends.end(), name) != ends.end()) return name;
        parse_statement(name, statement);
      }
      body.push_back(std::move(statement));
    }
    if (!ends.empty()) throw bad(fmt::format("'{}' is missing", ends.back()));
    return "";
  }

  void parse_statement(const std::string& name, Statement& statement) {
    if (name == "set") {
      statement.kind = Statement::Kind::kSet;
      statement.text = expect_name();
      expect("=");
      statement.expression = parse_expression();
      expect_end();
    } else if (name == "if") {
      parse_if(statement);
    } else if (name == "for") {
      parse_for(statement);
    } else {
      throw bad(fmt::format("the statement '{}' is not supported; allowed: for, if, set", name));
    }
  }

  void parse_if(Statement& statement) {
    const Depth depth(*this);
    statement.kind = Statement::Kind::kIf;
    statement.expression = parse_expression();
    expect_end();
    const std::string end = parse_body(statement.body, {"elif", "else", "endif"});
    if (end == "elif") {
      Statement next;
      next.line = now().line;
      parse_if(next);
      statement.otherwise.push_back(std::move(next));
      return;
    }
    expect_end();
    if (end == "endif") return;
    parse_body(statement.otherwise, {"endif"});
    expect_end();
  }

  void parse_for(Statement& statement) {
    statement.kind = Statement::Kind::kFor;
    statement.text = expect_name();
    expect("in");
    statement.expression = parse_or();  // no condition: its "if" would be the loop's
    if (accept("if")) statement.filter.push_back(parse_expression());
    expect_end();
    parse_body(statement.body, {"endfor"});
    expect_end();
  }

  Expression node(Node kind, std::string text, std::vector<Expression> children) const {
    Expression made;
    made.kind = kind;
    made.text = std::move(text);
    made.children = std::move(children);
    made.line = now().line;
    for (const Expression& child : made.children) made.height = std::max(made.height, child.height + 1);
    if (made.height > kMaxHeight) throw bad(fmt::format("an expression has more than {} steps in a row", kMaxHeight));
    return made;
  }
  Expression literal(Value value) const {
    Expression made = node(Node::kLiteral, "", {});
    made.value = std::move(value);
    return made;
  }

  Expression parse_expression() {
    const Depth depth(*this);
    Expression value = parse_or();
    while (accept("if")) {
      Expression condition = parse_or();
      Expression otherwise = accept("else") ? parse_expression() : literal(undefined());
      value = node(Node::kCondition, "if", {std::move(condition), std::move(value), std::move(otherwise)});
    }
    return value;
  }

  Expression parse_or() {
    Expression left = parse_and();
    while (accept("or")) left = node(Node::kBinary, "or", {std::move(left), parse_and()});
    return left;
  }
  Expression parse_and() {
    Expression left = parse_not();
    while (accept("and")) left = node(Node::kBinary, "and", {std::move(left), parse_not()});
    return left;
  }
  Expression parse_not() {
    const Depth depth(*this);
    if (accept("not")) return node(Node::kUnary, "not", {parse_not()});
    return parse_comparison();
  }

  Expression parse_comparison() {
    Expression left = parse_sum();
    if (const std::string name = take_comparison(); !name.empty()) {
      left = node(Node::kBinary, name, {std::move(left), parse_sum()});
      if (!take_comparison().empty()) throw bad("chained comparisons are not supported");
    }
    return left;
  }
  std::string take_comparison() {
    for (const char* name : {"==", "!=", "<=", ">=", "<", ">", "in"}) {
      if (accept(name)) return name;
    }
    if (!is_word("not") || tokens_[position_ + 1].text != "in") return "";
    take();
    take();
    return "not in";
  }

  Expression parse_sum() {
    Expression left = parse_concatenation();
    while (is_operator("+") || is_operator("-")) {
      const std::string name = take().text;
      left = node(Node::kBinary, name, {std::move(left), parse_concatenation()});
    }
    return left;
  }
  Expression parse_concatenation() {
    Expression left = parse_product();
    while (accept("~")) left = node(Node::kBinary, "~", {std::move(left), parse_product()});
    return left;
  }
  Expression parse_product() {
    Expression left = parse_unary();
    while (accept("%")) left = node(Node::kBinary, "%", {std::move(left), parse_unary()});
    return left;
  }
  Expression parse_unary() {
    const Depth depth(*this);
    if (accept("-")) return node(Node::kUnary, "-", {parse_unary()});
    return parse_postfix(parse_primary());
  }

  Expression parse_primary() {
    const Token token = take();
    if (token.kind == Kind::kString) {
      Expression text = literal(token.text);
      while (now().kind == Kind::kString) text.value = text.value.get<std::string>() + take().text;
      return text;
    }
    if (token.kind == Kind::kInteger) return literal(std::stoi(token.text));
    if (token.kind == Kind::kName) return parse_name(token.text);
    if (token.kind == Kind::kOperator && token.text == "(") {
      Expression inner = parse_expression();
      expect(")");
      return inner;
    }
    if (token.kind == Kind::kOperator && token.text == "[") {
      if (accept("]")) return literal(Value::array());
      throw bad("lists with elements are not supported");
    }
    throw bad(fmt::format("expected a value, not '{}'", token.text));
  }

  Expression parse_name(const std::string& name) {
    if (name == "true" || name == "True") return literal(true);
    if (name == "false" || name == "False") return literal(false);
    if (name == "none" || name == "None") return literal(nullptr);
    if (!is_operator("(")) return node(Node::kName, name, {});
    if (name != "raise_exception") {
      throw bad(fmt::format("the function '{}' is not supported; allowed: raise_exception", name));
    }
    return node(Node::kCall, name, parse_arguments());
  }

  std::vector<Expression> parse_arguments() {
    std::vector<Expression> arguments;
    expect("(");
    while (!accept(")")) {
      if (!arguments.empty()) expect(",");
      arguments.push_back(parse_expression());
      if (is_operator("=")) throw bad("named arguments are not supported");
    }
    return arguments;
  }

  Expression parse_postfix(Expression value) {
    while (true) {
      if (accept(".")) {
        std::string name = expect_name();
        value = is_operator("(") ? with_arguments(Node::kMethod, name, std::move(value))
                                 : node(Node::kMember, name, {std::move(value)});
      } else if (accept("[")) {
        value = parse_index(std::move(value));
      } else if (accept("|")) {
        std::string name = expect_name();
        value = is_operator("(") ? with_arguments(Node::kFilter, name, std::move(value))
                                 : node(Node::kFilter, name, {std::move(value)});
      } else if (accept("is")) {
        const bool negated = accept("not");
        value = node(Node::kTest, expect_name(), {std::move(value)});
        if (negated) value = node(Node::kUnary, "not", {std::move(value)});
      } else {
        return value;
      }
    }
  }
  Expression with_arguments(Node kind, const std::string& name, Expression value) {
    Expression made = node(kind, name, {std::move(value)});
    for (Expression& argument : parse_arguments()) made.children.push_back(std::move(argument));
    return made;
  }
  Expression parse_index(Expression value) {
    Expression begin = is_operator(":") ? literal(undefined()) : parse_expression();
    if (accept("]")) return node(Node::kIndex, "", {std::move(value), std::move(begin)});
    expect(":");
    Expression end = is_operator("]") ? literal(undefined()) : parse_expression();
    expect("]");
    return node(Node::kSlice, "", {std::move(value), std::move(begin), std::move(end)});
  }

  std::vector<Token> tokens_;
  const std::string& where_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

Template parse_template(std::string_view text, const std::string& where) {
  return Parser(cut_template(text, where), where).parse();
}

}  // namespace transformeter::jinja
