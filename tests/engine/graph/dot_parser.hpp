// Reads back what dump_graph writes: the part of the dot language that it uses, and no more.
#pragma once

#include <doctest/doctest.h>

#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sinter::test {

using dot_attributes = std::map<std::string, std::string>;

struct dot_graph {
    struct edge {
        std::string from, to;
        dot_attributes attributes;
    };
    struct cluster {
        std::string label;
        std::vector<std::string> members;
    };
    std::string label;
    std::map<std::string, dot_attributes> nodes;
    std::vector<edge> edges;
    std::vector<cluster> clusters;

    /// The only node whose label has this text; fails if there is not exactly one.
    std::string find(const std::string& text) const {
        std::string found;
        int count = 0;
        for (const auto& [name, attributes] : nodes) {
            const auto label = attributes.find("label");
            if (label == attributes.end() || label->second.find(text) == std::string::npos)
                continue;
            found = name;
            ++count;
        }
        CAPTURE(text);
        REQUIRE(count == 1);
        return found;
    }
    /// The edges from one node to another.
    std::vector<edge> between(const std::string& from, const std::string& to) const {
        std::vector<edge> found;
        for (const edge& e : edges)
            if (e.from == from && e.to == to) found.push_back(e);
        return found;
    }
};

/// Throws std::string where the text is no such graph: braces that do not match, an edge or a
/// cluster that names what is not declared, a node that is declared or drawn twice.
class dot_parser {
public:
    static dot_graph parse(const std::string& text) {
        dot_parser p(text);
        p.expect("digraph");
        p.next();
        p.body(nullptr);
        p.need(p.token_.empty(), "text after the graph");
        for (const dot_graph::edge& e : p.graph_.edges)
            for (const std::string& end : {e.from, e.to})
                p.need(p.graph_.nodes.count(end) == 1, "an edge of an undeclared node: " + end);
        std::set<std::string> drawn;
        for (const dot_graph::cluster& c : p.graph_.clusters)
            for (const std::string& m : c.members) {
                p.need(p.graph_.nodes.count(m) == 1, "an undeclared node in a cluster: " + m);
                p.need(drawn.insert(m).second, "a node in two clusters: " + m);
            }
        return p.graph_;
    }

private:
    explicit dot_parser(const std::string& text) : text_(text) { next(); }

    void need(bool fine, const std::string& what) const {
        if (!fine) throw what + " at character " + std::to_string(at_) + " of\n" + text_;
    }
    void expect(const std::string& token) {
        need(!quoted_ && token_ == token, "expected " + token + ", got " + token_);
        next();
    }
    bool is(const std::string& token) const { return !quoted_ && token_ == token; }

    /// Reads a token; an empty one at the end.
    void next() {
        quoted_ = false;
        token_.clear();
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        if (at_ == text_.size()) return;
        if (text_[at_] == '"') {
            quoted_ = true;
            for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
                if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
                    ++at_;
                    token_ += text_[at_] == 'n' ? '\n' : text_[at_];
                    continue;
                }
                need(static_cast<unsigned char>(text_[at_]) >= ' ', "a control character");
                token_ += text_[at_];
            }
            need(at_ < text_.size(), "a string without an end");
            ++at_;
            return;
        }
        const auto word = [this] {
            return std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_';
        };
        while (at_ < text_.size() && word()) token_ += text_[at_++];
        if (!token_.empty()) return;
        token_ = text_[at_++];
        if (token_ == "-" && at_ < text_.size() && text_[at_] == '>') token_ += text_[at_++];
        need(std::string("{}[]=;,->").find(token_) != std::string::npos, "what is " + token_);
    }

    std::string identifier() {
        need(!quoted_ && !token_.empty() && std::isalpha(static_cast<unsigned char>(token_[0])),
             "expected a name, got " + token_);
        std::string name = token_;
        next();
        return name;
    }
    std::string value() {
        need(quoted_ || !token_.empty(), "expected a value");
        std::string v = token_;
        next();
        return v;
    }

    dot_attributes attributes() {
        dot_attributes found;
        if (!is("[")) return found;
        do {
            next();
            const std::string key = identifier();
            expect("=");
            need(found.emplace(key, value()).second, "an attribute twice: " + key);
        } while (is(","));
        expect("]");
        return found;
    }

    /// Of the graph, or of a cluster.
    void body(dot_graph::cluster* inside) {
        expect("{");
        while (!is("}")) {
            const std::string name = identifier();
            if (name == "subgraph") {
                need(!inside, "a cluster in a cluster");
                const std::string expected = "cluster_" + std::to_string(graph_.clusters.size());
                need(identifier() == expected, "expected " + expected);
                dot_graph::cluster c;
                body(&c);
                graph_.clusters.push_back(c);
                continue;
            }
            if (is("=")) {
                need(name == "label", "expected a label, got " + name);
                next();
                (inside ? inside->label : graph_.label) = value();
            } else if (is("->")) {
                next();
                const std::string to = identifier();
                graph_.edges.push_back({name, to, attributes()});
            } else if (is("[") || !inside) {
                need(graph_.nodes.emplace(name, attributes()).second, "declared twice: " + name);
                if (inside) inside->members.push_back(name);
            } else {
                inside->members.push_back(name);
            }
            expect(";");
        }
        expect("}");
    }

    const std::string& text_;
    std::size_t at_ = 0;
    std::string token_;
    bool quoted_ = false;
    dot_graph graph_;
};

}  // namespace sinter::test
